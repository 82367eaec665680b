import { sql } from 'kysely'
import { emitInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { identitiesChanged } from '#kernel/identities.ts'
import { newId } from '#kernel/ids.ts'
import type { Role } from '#kernel/permissions.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { hashPassword, saltFor } from '#kernel/secrets/password.ts'
import { lockAccount } from '../account/account.ts'
import { revokeKeysOf } from '../api-key/api-key.ts'
import { accountIds, accountQuotas } from '../declarations.ts'
import { forgetAll as forgetDrafts } from '../draft/draft.ts'
import { forgetAll as forgetViews } from '../saved-view/saved-view.ts'
import { mailNewPassword } from '../session/security-mail.ts'
import { endAll, endOthers, forgetLinks } from '../session/session.ts'
import { claimEmail, emailTaken, notifyUsersChanged, releaseEmail } from './user-email.ts'
import { listedColumns, type UserChanges, type UserDraft, type userStatuses } from './user-shape.ts'

/** Invited users have no password until they accept. */
type Draft = Omit<UserDraft, 'password'> & Partial<Pick<UserDraft, 'password'>>

export async function get(context: Context, { id }: { id: string }) {
  const user = await visible(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!user) throw missing('User')
  return { ...user, status: user.status as (typeof userStatuses)[number] }
}

export async function search(context: Context, { q, page }: { q?: string | undefined; page: Page }) {
  let matching = visible(context).select(listedColumns)
  if (q) matching = matching.where('name', 'ilike', contains(q))
  const { items, total } = await paginate(matching, page)
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

/** Changes a user's role. Takes effect from the next request on, also for keys in use. */
export async function setRole(context: Context, { id, role }: { id: string; role: Role }) {
  const { db, accountId, now } = context
  // Two admins who demote or delete each other concurrently must not leave the account without an admin.
  await lockAccount(context)
  const user = await get(context, { id })
  if (user.role === role) return { ...user, role }
  if (user.role === 'admin') await refuseForLastAdmin(context, 'must stay one')
  // As for new users: the read role has no access to the media library.
  const changed = { role, modified: now, mediaLibrary: role !== 'read' }
  await db.updateTable('users').set(changed).where('accountId', '=', accountId).where('id', '=', id).execute()
  await identitiesChanged(context)
  notifyUsersChanged(context)
  await emitInner(context, 'userRoleChanged', { userId: id })
  return { ...user, role }
}

/** Gives an advocate, who has no role, a role; board memberships stay. */
export async function giveRole(context: Context, id: string, role: Role) {
  const { db, accountId, now } = context
  await reserveQuota(context, accountQuotas.users, visible(context))
  const given = { role, modified: now, mediaLibrary: role !== 'read' }
  await db
    .updateTable('users')
    .set(given)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('role', 'is', null)
    .execute()
  await identitiesChanged(context)
  notifyUsersChanged(context)
}

/** The opposite; board memberships stay. */
export async function takeRole(context: Context, id: string) {
  const { db, accountId, now } = context
  await lockAccount(context)
  const taken = { role: null, modified: now, mediaLibrary: false }
  await db.updateTable('users').set(taken).where('accountId', '=', accountId).where('id', '=', id).execute()
  await forgetLinks(context, id)
  await identitiesChanged(context)
  notifyUsersChanged(context)
  await emitInner(context, 'userRoleChanged', { userId: id })
}

export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId, now } = context
  await lockAccount(context)
  const user = await get(context, { id })
  if (user.role === 'admin') await refuseForLastAdmin(context, 'cannot be deleted')
  await revokeKeysOf(context, id)
  await db.deleteFrom('teamEntities').where('accountId', '=', accountId).where('entityId', '=', id).execute()
  // The row stays, because content refers to its author.
  const gone = { status: 'deleted' as const, passwordHash: null, modified: now }
  await db.updateTable('users').set(gone).where('accountId', '=', accountId).where('id', '=', id).execute()
  await releaseEmail(context, id, user.email)
  await forgetLinks(context, id)
  await forgetDrafts(context, id)
  await forgetViews(context, id)
  await endAll(context, id)
  notifyUsersChanged(context)
  await emitInner(context, 'userDeleted', { userId: id })
}

/**
 * A literal that matches the condition of the partial indexes, so that cached plans can use them. Users with a role; advocates without one
 * are found through their boards.
 */
export const visible = ({ db, accountId }: Context) =>
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

async function refuseForLastAdmin(context: Context, what: string) {
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
