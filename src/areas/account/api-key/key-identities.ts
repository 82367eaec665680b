import type { Clock } from '#kernel/clock.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import {
  type Identities,
  type Identity,
  isUseNoted,
  keyDigest,
  openRemembered,
  unknownCaller,
} from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'
import { accountIds } from '../declarations.ts'

/** Authenticates Authorization headers with an API key. */
export const openKeys = (database: Database, listener: Listener, clock: Clock): Identities =>
  openRemembered(database, listener, clock, (header, handleFor, now) => {
    const { accountId, key } = credentials(header)
    return findByKey(handleFor(accountId), accountId, key, now)
  })

function credentials(header: string): { accountId: string; key: string } {
  const encoded = /^basic +([a-z0-9+/_=-]+) *$/i.exec(header)?.[1]
  const decoded = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : ''
  const split = decoded.indexOf(':')
  const accountId = decoded.slice(0, split)
  if (split < 0 || !isId(accountIds.account, accountId)) throw unknownCaller()
  return { accountId, key: decoded.slice(split + 1) }
}

async function findByKey(db: Db, accountId: string, key: string, now: Date): Promise<Identity> {
  const found = await db
    .selectFrom('apiKeys as k')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 'k.userId'))
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select([
      'k.id as keyId',
      'k.expires',
      'k.lastUsed',
      'u.id as userId',
      'u.role',
      'u.status',
      'a.status as accountStatus',
    ])
    .where('k.accountId', '=', accountId)
    .where('k.digest', '=', keyDigest(key))
    .executeTakeFirst()
  const valid =
    found && found.status === 'active' && found.accountStatus === 'active' && (!found.expires || found.expires > now)
  if (!valid || !found.role) throw unknownCaller()

  if (!isUseNoted(found.lastUsed, now)) {
    const noting = db
      .updateTable('apiKeys')
      .set({ lastUsed: now })
      .where('accountId', '=', accountId)
      .where('id', '=', found.keyId)
    // Not awaited: a missed update of "last used" is no reason to refuse a call.
    noting.execute().catch(() => {})
  }
  return { accountId, userId: found.userId, role: found.role, via: { by: 'key', id: found.keyId } }
}
