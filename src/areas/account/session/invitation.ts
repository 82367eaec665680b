import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { conflict, missing, Refusal } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Role } from '#kernel/permissions.ts'
import { create, remove } from '../user/user.ts'
import { idsOfEmails, notifyUsersChanged } from '../user/user-email.ts'
import { giveRole, takeRole } from '../user/user-role.ts'
import { makeLink } from './session.ts'
import { invitationLink } from './session-mail.ts'

export interface Guest {
  email: string
  role: Role
  firstName?: string | undefined
  lastName?: string | undefined
}

/** Creates a user who sets a password through an emailed link; inviting again sends a new link. */
export async function invite(context: Context, guest: Guest) {
  const { accountId, userId: host } = context
  const user = await prepareGuest(context, guest)
  if (!user.hasPassword) await noteInvitation(context, user)
  await enqueue(context, invitationLink, { accountId, userId: user.id, by: await nameOf(context, host) })
  return user
}

/** Records the inviting user, and whether withdrawing the invitation keeps the user as an advocate. */
function noteInvitation(context: Context, { id, wasAdvocate }: { id: string; wasAdvocate?: boolean }) {
  const { db, accountId, userId, now } = context
  notifyUsersChanged(context)
  return db
    .updateTable('users')
    .set({ invited: now, invitedBy: userId, ...(wasAdvocate && { invitedAdvocate: true }) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Finds or creates the user an invitation is for; an existing advocate only gets the role. */
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

/** The name shown to other users. */
export const nameOf = async ({ db, accountId }: Context, userId: string): Promise<string> =>
  (
    await db
      .selectFrom('users')
      .select('name')
      .where('accountId', '=', accountId)
      .where('id', '=', userId)
      .executeTakeFirst()
  )?.name ?? ''

/** The email was not sent yet; the link is valid; the link has expired. */
export const invitationStates = ['on-its-way', 'waiting', 'ran-out'] as const

interface Invitation {
  id: string
  name: string
  email: string
  role: Role
  invited: Date
  invitedBy: string
  invitedByName: string
  invitedAdvocate: boolean
  ends: Date | null
}

const minute = 60_000

/** Pending invitations, latest first. */
export async function list(context: Context) {
  const items = (await pendingInvitations(context)).map((one) => ({ ...one, state: stateOf(one, context.now) }))
  return { items, total: items.length }
}

function stateOf({ ends }: Invitation, now: Date): (typeof invitationStates)[number] {
  if (!ends) return 'on-its-way'
  return ends > now ? 'waiting' : 'ran-out'
}

/** The previous link is revoked once the new one exists. */
export async function sendAgain(context: Context, { id }: { id: string }) {
  const { accountId, userId, now } = context
  const { invited } = await require(context, id)
  if (now.getTime() - invited.getTime() < minute)
    throw new Refusal('limited', 'The invitation was sent a moment ago. Try again in a minute.', { retryAfter: 60 })
  await noteInvitation(context, { id })
  await enqueue(context, invitationLink, { accountId, userId: id, by: await nameOf(context, userId) })
}

/** For users who do not receive the email: the response shows the link only once. */
export async function linkFor(context: Context, { id }: { id: string }) {
  await require(context, id)
  notifyUsersChanged(context)
  return { url: await makeLink(context, id, 'invitation') }
}

/** Deletes the user; a former advocate stays an advocate. */
export async function withdraw(context: Context, { id }: { id: string }) {
  const { invitedAdvocate } = await require(context, id)
  await (invitedAdvocate ? takeRole(context, id) : remove(context, { id }))
}

async function require(context: Context, id: string): Promise<Invitation> {
  const [found] = await pendingInvitations(context, id)
  if (!found) throw missing('Invitation')
  return found
}

async function pendingInvitations({ db, accountId }: Context, id?: string): Promise<Invitation[]> {
  const { rows } = await sql<Invitation>`
    select u.id, u.name, u.email, u.role, u.invited, u.invited_by, u.invited_advocate, coalesce(host.name, '') as invited_by_name, l.ends
    from users u
    left join users host on host.account_id = ${accountId} and host.id = u.invited_by
    left join sign_in_links l on l.account_id = ${accountId} and l.user_id = u.id and l.purpose = 'invitation'
    where u.account_id = ${accountId} and u.invited is not null and u.password_hash is null and u.role is not null
      and u.status = 'active' ${id === undefined ? sql`` : sql`and u.id = ${id}`}
    order by u.invited desc, u.id desc`.execute(db)
  return rows
}
