import { newToken } from '#areas/account/session/session.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import type { CallerRole } from '#kernel/permissions.ts'

export async function get({ db, accountId, userId }: Context) {
  const key = await db
    .selectFrom('calendarKeys')
    .select(['created', 'lastUsed'])
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return { hasKey: key !== undefined, created: key?.created ?? null, lastUsed: key?.lastUsed ?? null }
}

/** Creates the URL for external calendars, which is shown only once. The previous URL is revoked. */
export async function create(context: Context) {
  const { db, accountId, userId, now, publicUrl } = context
  const { token, digest } = newToken(accountId)
  const key = { digest, created: now, lastUsed: null }
  await db
    .insertInto('calendarKeys')
    .values({ accountId, userId, ...key })
    .onConflict((on) => on.columns(['accountId', 'userId']).doUpdateSet(key))
    .execute()
  context.about({ id: userId })
  return { url: `${publicUrl}/app/api/calendar.ics?key=${token}`, created: now }
}

export async function remove(context: Context) {
  context.about({ id: context.userId })
  await forget(context, context.userId)
}

/** Revokes calendar URLs when a user is deleted, or sets a new password because the account may be compromised. */
export async function forgetKeys(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  for (const { data } of events) await forget(context, data.userId)
}

const forget = ({ db, accountId }: Context, userId: string) =>
  db.deleteFrom('calendarKeys').where('accountId', '=', accountId).where('userId', '=', userId).execute()

const hour = 60 * 60 * 1000

/** The user a calendar key belongs to; undefined if the key is not valid any more. */
export async function ownerOf({ db, accountId, now }: Context, digest: Buffer) {
  const found = await db
    .selectFrom('calendarKeys as k')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'k.userId'))
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['k.userId', 'k.lastUsed', 'u.role', 'a.name as accountName'])
    .where('k.accountId', '=', accountId)
    .where('k.digest', '=', digest)
    .where('u.status', '=', 'active')
    .where('a.status', '=', 'active')
    .executeTakeFirst()
  if (!found?.role) return undefined
  const { userId, role, lastUsed, accountName } = found
  if (!lastUsed || now.getTime() - lastUsed.getTime() > hour)
    await db
      .updateTable('calendarKeys')
      .set({ lastUsed: now })
      .where('accountId', '=', accountId)
      .where('userId', '=', userId)
      .execute()
  return { userId, role: role as CallerRole, accountName }
}
