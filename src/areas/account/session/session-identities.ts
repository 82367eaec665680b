import type { Clock } from '#kernel/clock.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Identities, type Identity, isUseNoted, openRemembered } from '#kernel/identities.ts'
import { isOver } from './session.ts'
import { readToken } from './token.ts'

/** Who has which session: the same user, account and role as with a key. */
export const openSessions = (database: Database, listener: Listener, clock: Clock): Identities =>
  openRemembered(database, listener, clock, async (text, handleFor, now) => {
    const token = readToken(text)
    if (!token) throw noSession()
    return find(handleFor(token.accountId), token, now)
  })

async function find(
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
  if (!valid || !found.role) throw noSession()
  const { id, lastUsed, userId, role } = found
  if (!isUseNoted(lastUsed, now)) {
    const noting = db
      .updateTable('sessions')
      .set({ lastUsed: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('lastUsed', '<', now)
    // Nobody waits for this: a missed minute of "last used" ends no session.
    noting.execute().catch(() => {})
  }
  return { accountId, userId, role, via: { by: 'session', id } }
}

const noSession = () => new Refusal('unauthenticated', 'The session has ended. Sign in again.')
