import { randomInt } from 'node:crypto'
import type { Context } from '#kernel/context.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { identitiesChanged, keyDigest } from '#kernel/identities.ts'
import { newId } from '#kernel/ids.ts'
import { may } from '#kernel/permissions.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { accountIds, accountQuotas } from './declarations.ts'
import { mailNewKey } from './session/session-mail.ts'

interface Draft {
  userId: string
  name: string
  expires?: Date | undefined
  /** Set by the operator for a demo; generated otherwise. */
  key?: string | undefined
}

/** Creates a key. The key is returned only once; only its digest is stored. */
export async function createKey(context: Context, { userId, name, expires, key = newKey() }: Draft) {
  const { db, accountId, now } = context
  const id = newId(accountIds.apiKey, now)
  await reserveQuota(context, accountQuotas.apiKeys, db.selectFrom('apiKeys').where('accountId', '=', accountId))
  await db
    .insertInto('apiKeys')
    .values({ accountId, id, userId, created: now, name, digest: keyDigest(key), expires: expires ?? null })
    .execute()
  await identitiesChanged(context)
  return { id, key }
}

export const listKeys = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>, userId?: string) =>
  db
    .selectFrom('apiKeys as k')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'k.userId'))
    .select(['k.id', 'k.name', 'k.created', 'k.lastUsed', 'k.expires', 'k.userId', 'u.email', 'u.name as userName'])
    .where('k.accountId', '=', accountId)
    .$if(userId !== undefined, (keys) => keys.where('k.userId', '=', userId as string))
    .orderBy('k.created')
    .orderBy('k.id')
    .execute()

export async function revokeKey(context: Context, { id }: { id: string }) {
  const { numDeletedRows } = await context.db
    .deleteFrom('apiKeys')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('API key')
  await identitiesChanged(context)
}

/** Takes effect immediately. */
export async function revokeKeysOf(context: Context, userId: string) {
  const { db, accountId } = context
  await db.deleteFrom('apiKeys').where('accountId', '=', accountId).where('userId', '=', userId).execute()
  await identitiesChanged(context)
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyLength = 32

/** 32 characters of 62 carry 190 random bits. The prefix lets secret scanners recognize a key. */
export function newKey(): string {
  return `chk_${Array.from({ length: keyLength }, () => base62[randomInt(base62.length)]).join('')}`
}

/** The caller's own keys; admins can list those of all users. */
export async function list(context: Context, { all = false }: { all?: boolean | undefined }) {
  const isForAll = all && may(context.role, 'administer')
  const keys = await listKeys(context, isForAll ? undefined : context.userId)
  const items = keys.map((key) => ({ ...key, isCurrent: isCurrent(context, key.id) }))
  return { items, total: items.length }
}

/** Creates a key with the caller's identity and role: a key cannot act as another user. */
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

/** Users can revoke their own keys, admins any key. Takes effect immediately. */
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

/** The expiry of the API key the caller authenticated with, if any. */
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
