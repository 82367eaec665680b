import type { Via } from '#kernel/caller.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { Refusal } from '#kernel/errors.ts'
import {
  type Identities,
  type Identity,
  isUseNoted,
  keyDigest,
  openRemembered,
  unknownCaller,
} from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'
import type { Role } from '#kernel/permissions.ts'
import { accountIds } from './declarations.ts'
import { isOver, readToken } from './session/session.ts'

/** Authenticates session cookies: the same user, account and role as with a key; advocates only have sessions. */
export const openSessions = (database: Database, listener: Listener, clock: Clock): Identities =>
  openRemembered(database, listener, clock, async (text, handleFor, now) => {
    const token = readToken(text)
    if (!token) throw noSession()
    return findBySession(handleFor(token.accountId), token, now)
  })

async function findBySession(
  db: Db,
  { accountId, digest }: { accountId: string; digest: Buffer },
  now: Date,
): Promise<Identity> {
  const found = await db
    .selectFrom('sessions as s')
    .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 's.userId'))
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['s.id', 's.lastUsed', 's.ends', 's.stays', 'u.id as userId', 'u.role', 'u.status'])
    .select('a.status as accountStatus')
    .where('s.accountId', '=', accountId)
    .where('s.digest', '=', digest)
    .executeTakeFirst()
  const valid = found?.status === 'active' && found.accountStatus === 'active' && !isOver(found, now)
  if (!valid) throw noSession()
  const { id, lastUsed, userId } = found
  if (!isUseNoted(lastUsed, now)) {
    const noting = db
      .updateTable('sessions')
      .set({ lastUsed: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('lastUsed', '<', now)
    // Not awaited: a missed update of "last used" does not end a session.
    noting.execute().catch(() => {})
  }
  // Users without a role are advocates.
  return { accountId, userId, role: found.role ?? 'advocate', via: { by: 'session', id } }
}

const noSession = () => new Refusal('unauthenticated', 'The session has ended. Sign in again.')

/** The current roles of the users behind these keys and sessions, by key or session id; those no longer valid are omitted. */
export async function currentRoles(
  db: Db,
  accountId: string,
  vias: readonly Via[],
  now: Date,
): Promise<Map<string, Role>> {
  const ids = (by: Via['by']) => vias.filter((via) => via.by === by).map(({ id }) => id)
  const [sessions, keys] = [ids('session'), ids('key')]
  const roles = new Map<string, Role>()
  const note = ({ id, role }: { id: string; role: Role | null }) => role && roles.set(id, role)
  if (sessions.length > 0) {
    const rows = await db
      .selectFrom('sessions as t')
      .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 't.userId'))
      .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
      .select(['t.id', 't.stays', 't.lastUsed', 't.ends', 'u.role'])
      .where('t.accountId', '=', accountId)
      .where('t.id', 'in', sessions)
      .where('u.status', '=', 'active')
      .where('a.status', '=', 'active')
      .execute()
    for (const row of rows) if (!isOver(row, now)) note(row)
  }
  if (keys.length > 0) {
    const rows = await db
      .selectFrom('apiKeys as t')
      .innerJoin('users as u', (join) => join.on('u.accountId', '=', accountId).onRef('u.id', '=', 't.userId'))
      .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
      .select(['t.id', 't.expires', 'u.role'])
      .where('t.accountId', '=', accountId)
      .where('t.id', 'in', keys)
      .where('u.status', '=', 'active')
      .where('a.status', '=', 'active')
      .execute()
    for (const row of rows) if (!row.expires || row.expires > now) note(row)
  }
  return roles
}

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
