import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Role } from '#kernel/permissions.ts'
import { create, giveRole } from '../user/user.ts'
import { idsOfEmails } from '../user/user-email.ts'
import { hintUsers } from '../user/user-hint.ts'
import { invitationLink } from './send-links.job.ts'

export interface Guest {
  email: string
  role: Role
  firstName?: string | undefined
  lastName?: string | undefined
}

/** Makes a user who chooses a password by a link that is mailed; inviting again sends another link. */
export async function invite(context: Context, guest: Guest) {
  const { accountId, userId: host } = context
  const user = await prepareGuest(context, guest)
  if (!user.hasPassword) await noteInvitation(context, user)
  await enqueue(context, invitationLink, { accountId, userId: user.id, by: await nameOf(context, host) })
  return user
}

/** What is under way: who did it, and what becomes of the user when it is withdrawn. */
export function noteInvitation(context: Context, { id, wasAdvocate }: { id: string; wasAdvocate?: boolean }) {
  const { db, accountId, userId, now } = context
  hintUsers(context)
  return db
    .updateTable('users')
    .set({ invited: now, invitedBy: userId, ...(wasAdvocate && { invitedAdvocate: true }) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** The user for whom an invitation is meant, made if need be; who was an advocate only gets the role. */
export async function prepareGuest(context: Context, { firstName = '', lastName = '', ...guest }: Guest) {
  const { db, accountId } = context
  const known = await db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'role', 'passwordHash'])
    .where('accountId', '=', accountId)
    .where(sql<boolean>`id in ${idsOfEmails(context, [guest.email])}`)
    .where('status', '<>', sql.lit('deleted'))
    .executeTakeFirst()
  if (known && !known.role) {
    await giveRole(context, known.id, guest.role)
    return { ...known, role: guest.role, wasAdvocate: true, hasPassword: known.passwordHash !== null }
  }
  if (known?.passwordHash)
    throw conflict(`${guest.email} belongs to a user already. Whoever forgot their password asks for a link by mail.`)
  if (known) return { ...known, role: known.role as Role, wasAdvocate: false, hasPassword: false }
  const { id, name, email } = await create(context, { ...guest, firstName, lastName })
  return { id, name, email, role: guest.role, wasAdvocate: false, hasPassword: false }
}

/** How somebody is called where they are named to others. */
export const nameOf = async ({ db, accountId }: Context, userId: string): Promise<string> =>
  (
    await db
      .selectFrom('users')
      .select('name')
      .where('accountId', '=', accountId)
      .where('id', '=', userId)
      .executeTakeFirst()
  )?.name ?? ''
