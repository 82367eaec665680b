import type { Context } from '#kernel/context.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { mailNewKey } from '../session/security-mail.ts'
import { createKey, listKeys, revokeKey } from './api-key.ts'

/** The caller's own keys; of an admin who asks for them, those of everybody. */
export async function list(context: Context, { all = false }: { all?: boolean | undefined }) {
  const isForAll = all && may(context.role, 'administer')
  const keys = await listKeys(context, isForAll ? undefined : context.userId)
  const items = keys.map((key) => ({ ...key, isCurrent: isCurrent(context, key.id) }))
  return { items, total: items.length }
}

/** A key of the caller's own, with the caller's role: nobody gets one that acts as somebody else. */
export async function create(context: Context, { name, expires }: { name: string; expires?: Date | undefined }) {
  const { userId, now } = context
  if (expires && expires <= now) throw invalid('expires has passed. Give a moment to come, or none.')
  const latest = await endOfOwn(context)
  if (latest && (!expires || expires > latest))
    throw invalid(
      `A key made with a key ends with it at the latest: give expires, at most ${latest.toISOString().slice(0, 19)}Z.`,
    )
  const { id, key } = await createKey(context, { userId, name, expires })
  await mailNewKey(context, userId, name)
  return { id, name, created: now, expires: expires ?? null, key }
}

/** One's own, or an admin anybody's; it stops at once. */
export async function revoke(context: Context, { id }: { id: string }) {
  const { db, accountId, userId, role } = context
  const found = await db
    .selectFrom('apiKeys')
    .select('userId')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!found || (found.userId !== userId && !may(role, 'administer'))) throw missing('API key')
  await revokeKey(context, { id })
}

const isCurrent = ({ via }: Context, id: string) => via?.by === 'key' && via.id === id

/** When the key ends that the caller came with, if it ends and they came with one. */
async function endOfOwn({ db, accountId, via }: Context): Promise<Date | null | undefined> {
  if (via?.by !== 'key') return undefined
  const own = await db
    .selectFrom('apiKeys')
    .select('expires')
    .where('accountId', '=', accountId)
    .where('id', '=', via.id)
    .executeTakeFirst()
  return own?.expires
}
