import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { missing, Refusal } from '#kernel/errors.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Role } from '#kernel/permissions.ts'
import { remove, takeRole } from '../user/user.ts'
import { hintUsers } from '../user/user-hint.ts'
import { nameOf, noteInvitation } from './invitation.ts'
import { invitationLink } from './send-links.job.ts'
import { makeLink } from './sign-in-link.ts'

/** The mail has not gone out yet; its link can be used; its link is too old. */
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

/** Who was invited and has not come yet, the latest first. */
export async function list(context: Context) {
  const items = (await underWay(context)).map((one) => ({ ...one, state: stateOf(one, context.now) }))
  return { items, total: items.length }
}

function stateOf({ ends }: Invitation, now: Date): (typeof invitationStates)[number] {
  if (!ends) return 'on-its-way'
  return ends > now ? 'waiting' : 'ran-out'
}

/** The link that was mailed before counts no more once the new one is there. */
export async function sendAgain(context: Context, { id }: { id: string }) {
  const { accountId, userId, now } = context
  const { invited } = await require(context, id)
  if (now.getTime() - invited.getTime() < minute)
    throw new Refusal('limited', 'The invitation was sent a moment ago. Try again in a minute.', { retryAfter: 60 })
  await noteInvitation(context, { id })
  await enqueue(context, invitationLink, { accountId, userId: id, by: await nameOf(context, userId) })
}

/** For whoever gets no mail: the answer shows the link this once. */
export async function linkFor(context: Context, { id }: { id: string }) {
  await require(context, id)
  hintUsers(context)
  return { url: await makeLink(context, id, 'invitation') }
}

/** The user is deleted; who was an advocate before stays one. */
export async function withdraw(context: Context, { id }: { id: string }) {
  const { invitedAdvocate } = await require(context, id)
  await (invitedAdvocate ? takeRole(context, id) : remove(context, { id }))
}

async function require(context: Context, id: string): Promise<Invitation> {
  const [found] = await underWay(context, id)
  if (!found) throw missing('Invitation')
  return found
}

async function underWay({ db, accountId }: Context, id?: string): Promise<Invitation[]> {
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
