import { hash } from 'node:crypto'
import type { Context } from '../../context.ts'
import { invalid } from '../../errors.ts'

/** How long a key is kept: replays of a lost answer come within minutes, at the latest within a day. */
const keptFor = 24 * 60 * 60 * 1000

/** Keys made before this moment no longer count. */
export const oldestKey = (now: Date) => new Date(now.getTime() - keptFor)

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

/** What a kept answer is sealed for. */
export const placeOf = ({ accountId, userId, key }: { accountId: string; userId: string; key: string }) =>
  `idempotency/${accountId}/${userId}/${key}`

/** Deletes the keys of an account that no longer count. */
export async function forgetOldKeys({ db, accountId, now }: Context) {
  await db
    .deleteFrom('idempotencyKeys')
    .where('accountId', '=', accountId)
    .where('created', '<', oldestKey(now))
    .execute()
}
