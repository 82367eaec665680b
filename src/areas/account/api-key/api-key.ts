import { randomInt } from 'node:crypto'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { identitiesChanged, keyDigest } from '#kernel/identities.ts'
import { newId } from '#kernel/ids.ts'
import { makeRoom } from '#kernel/room/room.ts'

interface Draft {
  userId: string
  name: string
  expires?: Date | undefined
  /** Chosen by the operator for a demo; otherwise made here. */
  key?: string | undefined
}

/** Makes a key. The key itself is given back this once; only its digest is kept. */
export async function createKey(context: Context, { userId, name, expires, key = newKey() }: Draft) {
  const { db, accountId, now } = context
  const id = newId('apiKey', now)
  await makeRoom(context, 'apiKeys', db.selectFrom('apiKeys').where('accountId', '=', accountId))
  await db
    .insertInto('apiKeys')
    .values({ accountId, id, userId, created: now, name, digest: keyDigest(key), expires: expires ?? null })
    .execute()
  await identitiesChanged(context)
  return { id, key }
}

/** All of the account, or those of one user. */
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

/** All keys of a user; they stop at once. */
export async function revokeKeysOf(context: Context, userId: string) {
  const { db, accountId } = context
  await db.deleteFrom('apiKeys').where('accountId', '=', accountId).where('userId', '=', userId).execute()
  await identitiesChanged(context)
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyLength = 32

/** 32 characters of 62 carry 190 random bits. The prefix lets secret scanners know a key when they see one. */
export function newKey(): string {
  return `chk_${Array.from({ length: keyLength }, () => letters[randomInt(letters.length)]).join('')}`
}
