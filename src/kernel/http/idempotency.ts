import { hash } from 'node:crypto'
import type { Context } from '../context.ts'
import { conflict, invalid } from '../errors.ts'
import type { Answer } from './answer.ts'

/** How long a key is kept: replays of a lost answer come within minutes, at the latest within a day. */
const keptFor = 24 * 60 * 60 * 1000

export interface Replayable {
  key: string
  digest: Buffer
}

/** The key of a request together with a digest of what it asks, or nothing when it carries none. */
export function replayable(
  key: string | string[] | undefined,
  operation: string,
  values: unknown,
): Replayable | undefined {
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid('Idempotency-Key must be 1 to 255 printable characters without blanks.')
  }
  return { key, digest: hash('sha256', `${operation}\n${JSON.stringify(values)}`, 'buffer') }
}

/**
 * Claims the key inside the transaction of the effect. While another request holds it the claim waits for that one to end,
 * so identical requests in flight join. Gives the earlier answer when there is one.
 */
export async function claim(
  { db, accountId, userId, now, keyring }: Context,
  { key, digest }: Replayable,
): Promise<Answer | undefined> {
  const row = { accountId, userId, key, created: now, requestDigest: digest }
  const claimed = await db
    .insertInto('idempotencyKeys')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['accountId', 'userId', 'key'])
        .doUpdateSet({ created: now, requestDigest: digest, status: null, answer: null })
        .where('idempotencyKeys.created', '<', new Date(now.getTime() - keptFor)),
    )
    .returning('key')
    .executeTakeFirst()
  if (claimed) return undefined

  const first = await db
    .selectFrom('idempotencyKeys')
    .select(['requestDigest', 'status', 'answer'])
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
  if (!first || first.status === null || first.answer === null) {
    throw conflict('A request with the same Idempotency-Key is being worked on. Try again in a moment.')
  }
  if (!first.requestDigest.equals(digest)) {
    throw conflict('This Idempotency-Key was used for a different request. Use a new key for a new request.')
  }
  return { status: first.status, body: keyring.decrypt(first.answer, placeOf(row)) }
}

/** Keeps the answer beside the effect it tells of; encrypted, because some answers show a secret. */
export async function keepAnswer(context: Context, { key }: Replayable, { status, body }: Answer) {
  const { db, accountId, userId, keyring } = context
  await db
    .updateTable('idempotencyKeys')
    .set({ status, answer: keyring.encrypt(body, placeOf({ accountId, userId, key })) })
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('key', '=', key)
    .execute()
}

export const placeOf = ({ accountId, userId, key }: { accountId: string; userId: string; key: string }) =>
  `idempotency/${accountId}/${userId}/${key}`

/** Deletes the keys of an account that no longer count. */
export async function forgetOldKeys({ db, accountId, now }: Context) {
  const old = db.deleteFrom('idempotencyKeys').where('accountId', '=', accountId)
  await old.where('created', '<', new Date(now.getTime() - keptFor)).execute()
}
