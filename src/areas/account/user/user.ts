import { sql } from 'kysely'
import { emitInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { contains, type Page, paginate, preparedPages } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import type { Role } from '#kernel/permissions.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { hashPassword, saltFor } from '#kernel/secrets/password.ts'
import { lockAccount } from '../account.ts'
import { revokeKeysOf } from '../api-key.ts'
import { accountIds, accountQuotas } from '../declarations.ts'
import { forgetAll as forgetDrafts } from '../draft.ts'
import { forgetAll as forgetViews } from '../saved-view.ts'
import { endAll, endOthers, forgetLinks } from '../session/session.ts'
import { mailNewPassword } from '../session/session-mail.ts'
import { claimEmail, emailTaken, notifyUsersChanged, releaseEmail } from './user-email.ts'
import { listedColumns, type UserChanges, type UserDraft, type userStatuses } from './user-shape.ts'

/** Invited users have no password until they accept. */
type Draft = Omit<UserDraft, 'password'> & Partial<Pick<UserDraft, 'password'>>

export async function get(context: Context, { id }: { id: string }) {
  const user = await visible(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!user) throw missing('User')
  return { ...user, status: user.status as (typeof userStatuses)[number] }
}

const listed = preparedPages((db, { accountId, pattern }: { accountId: string; pattern: string | undefined }) =>
  visible({ db, accountId })
    .select(listedColumns)
    .$if(pattern !== undefined, (rows) => rows.where('name', 'ilike', pattern as string)),
)

export async function search({ db, accountId }: Context, { q, page }: { q?: string | undefined; page: Page }) {
  const { items, total } = await listed(db, { accountId, pattern: q ? contains(q) : undefined }, page)
  return { items: items.map((user) => ({ ...user, role: user.role as Role })), total }
}

export async function create(context: Context, { password, ...draft }: Draft) {
  const { db, accountId, now } = context
  // Before the first statement, so that no connection is held while hashing.
  const passwordHash =
    password === undefined ? null : await hashPassword(password, saltFor(context.keyring, draft.email))
  const id = newId(accountIds.user, now)
  const row = {
    ...draft,
    accountId,
    id,
    created: now,
    modified: now,
    passwordHash,
    mediaLibrary: draft.role !== 'read',
  }
  await reserveQuota(context, accountQuotas.users, visible(context))
  await claimEmail(context, id, draft.email)
  await uniqueEmail(draft.email, () => db.insertInto('users').values(row).execute())
  notifyUsersChanged(context)
  return get(context, { id })
}

/** Hashes a given password without holding a connection. */
export async function hashGiven(
  { step }: ExternalIo,
  { id, password, email }: UserChanges,
): Promise<string | undefined> {
  if (password === undefined) return undefined
  const salt = await step(async (context) => saltFor(context.keyring, email ?? (await get(context, { id })).email))
  return hashPassword(password, salt)
}

export async function update(
  context: Context,
  { id, password: _, ...change }: UserChanges,
  passwordHash: string | undefined,
) {
  const before = await get(context, { id })
  const changed = { ...change, modified: context.now, ...(passwordHash && { passwordHash }) }
  if (change.email !== undefined) {
    await releaseEmail(context, id, before.email)
    await claimEmail(context, id, change.email)
  }
  await uniqueEmail(change.email ?? '', () =>
    context.db
      .updateTable('users')
      .set(changed)
      .where('accountId', '=', context.accountId)
      .where('id', '=', id)
      .execute(),
  )
  if (passwordHash) {
    await endSignIns(context, id)
    await endOtherAccess(context, id, { revokeKeys: false })
    await mailNewPassword(context, id, id === context.userId ? 'owner' : 'admin', before.email)
  }
  notifyUsersChanged(context)
  return get(context, { id })
}

/** Fields that users may set themselves. */
export function setOwn(
  context: Context,
  id: string,
  own: { firstName?: string | undefined; lastName?: string | undefined; timezone?: string | undefined },
) {
  const { db, accountId, now } = context
  notifyUsersChanged(context)
  return db
    .updateTable('users')
    .set({ ...own, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Whether the user may manage library folders; derived from the role unless set explicitly. */
export async function setMediaLibrary(
  context: Context,
  { id, mediaLibrary }: { id: string; mediaLibrary: boolean },
): Promise<void> {
  const { db, accountId, now } = context
  const user = await get(context, { id })
  if (user.role === 'read' && mediaLibrary)
    throw conflict('Who may only read cannot manage the library. Give the user another role first.')
  const changed = { mediaLibrary, modified: now }
  await db.updateTable('users').set(changed).where('accountId', '=', accountId).where('id', '=', id).execute()
  notifyUsersChanged(context)
}

/** Ends the sessions and links that predate the new password, except for the caller's own session. */
export async function endSignIns(context: Context, userId: string) {
  await forgetLinks(context, userId)
  await (userId === context.userId ? endOthers(context) : endAll(context, userId))
}

/** Revokes access that needs no password, in case it was compromised: calendar links and, on request, API keys. */
export async function endOtherAccess(context: Context, userId: string, { revokeKeys }: { revokeKeys: boolean }) {
  await emitInner(context, 'accessEnded', { userId })
  if (revokeKeys) await revokeKeysOf(context, userId)
}

export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  await lockAccount(context)
  const user = await get(context, { id })
  if (user.role === 'admin') await refuseForLastAdmin(context, 'cannot be deleted')
  await revokeKeysOf(context, id)
  await db.deleteFrom('teamEntities').where('accountId', '=', accountId).where('entityId', '=', id).execute()
  // The row stays, because content refers to its author.
  const deletedColumns = { status: 'deleted' as const, passwordHash: null, modified: now }
  await db.updateTable('users').set(deletedColumns).where('accountId', '=', accountId).where('id', '=', id).execute()
  await releaseEmail(context, id, user.email)
  await forgetLinks(context, id)
  await forgetDrafts(context, id)
  await forgetViews(context, id)
  await endAll(context, id)
  notifyUsersChanged(context)
  await emitInner(context, 'userDeleted', { userId: id })
}

interface PeopleSearch {
  id?: string | undefined
  q?: string | undefined
  role?: Role | undefined
  page: Page
}

/** The users of the account with their teams and the time of their last activity, by session, key or board. */
export async function searchPeople(context: Context, { id, q = '', role, page }: PeopleSearch) {
  const { accountId } = context
  const of = sql`account_id = ${accountId} and user_id = users.id`
  const lastSeen = sql<Date | null>`greatest(last_login, last_board_login,
    (select max(last_used) from sessions where ${of}), (select max(last_used) from api_keys where ${of}))`
  const teamIds = sql<string[]>`array(select team_id from team_entities
    where account_id = ${accountId} and entity_id = users.id order by team_id)`
  const matching = visible(context)
    .select(['id', 'created', 'name', 'firstName', 'lastName', 'email', 'role', 'status', 'timezone', 'mediaLibrary'])
    .select([lastSeen.as('lastSeen'), teamIds.as('teamIds')])
    .select(sql<Date | null>`case when password_hash is null then invited end`.as('invited'))
    .$if(q !== '', (rows) => rows.where('name', 'ilike', contains(q)))
    .$if(Boolean(id), (rows) => rows.where('id', '=', id as string))
    .$if(role !== undefined, (rows) => rows.where('role', '=', role as Role))
  const { items, total } = await paginate(matching, page)
  return {
    items: items.map((user) => ({
      ...user,
      role: user.role as Role,
      status: user.status as (typeof userStatuses)[number],
    })),
    total,
  }
}

/**
 * A literal that matches the condition of the partial indexes, so that cached plans can use them. Users with a role; advocates without one
 * are found through their boards.
 */
export const visible = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>) =>
  db
    .selectFrom('users')
    .where('accountId', '=', accountId)
    .where('status', '<>', sql.lit('deleted'))
    .where('role', 'is not', null)

async function uniqueEmail(email: string, write: () => Promise<unknown>) {
  try {
    await write()
  } catch (error) {
    if (isDuplicate(error, 'users_email')) throw emailTaken(email)
    throw error
  }
}

/** Refuses a change that would leave the account without an admin. */
export async function refuseForLastAdmin(context: Context, what: string) {
  if ((await countAdmins(context)) > 1) return
  throw conflict(`The last admin of an account ${what}. Make another user admin first.`)
}

export async function countAdmins(context: Context): Promise<number> {
  const { count } = await visible(context)
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
