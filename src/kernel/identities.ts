import { hash } from 'node:crypto'
import type { Via } from './caller.ts'
import type { Clock } from './clock.ts'
import type { Context } from './context.ts'
import type { Database, Db } from './database/database.ts'
import type { Listener } from './database/listener.ts'
import { Refusal } from './errors.ts'
import { isId } from './ids.ts'
import type { Role } from './permissions.ts'

export interface Identity {
  accountId: string
  userId: string
  role: Role
  via: Via
}

export interface Identities {
  /** Who shows this proof; refuses when nobody does. Only one not seen lately costs a statement. */
  identify(proof: string): Identity | Promise<Identity>
}

const channel = 'chorus_identity'

/** How long a proof is believed without asking again, should the news of its end have been missed. */
const believedFor = 2_000
const remembered = 10_000
const usesNoted = 60_000

/** Makes every process forget what it knows of an account's users; to be called in the transaction that changes them. */
export const identitiesChanged = (context: Context) => context.announce(channel, context.accountId)

/** Calls back with the account whose users, keys or sessions changed, and with none after a gap in which some may have. */
export const whenIdentitiesChange = (listener: Listener, hear: (accountId: string | undefined) => void) =>
  listener.on(channel, hear)

/** The stored form of API keys, sessions and links that are used once. All carry at least 160 random bits, so a fast digest is enough. */
export const keyDigest = (key: string) => hash('sha256', key, 'buffer')

/** Whether a use is to be written down: once a minute is often enough. */
export const isUseNoted = (lastUsed: Date | null, now: Date) =>
  lastUsed !== null && now.getTime() - lastUsed.getTime() <= usesNoted

/** Whose it is, and since when it is known: strangers must not use up what belongs to the account they name. */
type LookUp = (proof: string, handleFor: (accountId: string) => Db, now: Date) => Promise<Identity>

/** Identities by a way to look them up; who was found is believed for a moment. */
export function openRemembered(database: Database, listener: Listener, clock: Clock, lookUp: LookUp): Identities {
  const known = new Map<string, { identity: Identity; until: number }>()
  let changes = 0
  // Rare enough that forgetting everybody is simpler than finding the right one.
  listener.on(channel, () => {
    changes++
    known.clear()
  })

  const find = async (proof: string): Promise<Identity> => {
    const before = changes
    const now = clock.now()
    const identity = await lookUp(proof, known.has(proof) ? database.forAccount : database.forAnybody, now)
    if (before === changes) {
      if (known.size >= remembered) known.clear()
      known.set(proof, { identity, until: now.getTime() + believedFor })
    }
    return identity
  }

  return {
    identify(proof) {
      const entry = known.get(proof)
      return entry && clock.now().getTime() < entry.until ? entry.identity : find(proof)
    },
  }
}

/** Who sends an Authorization header with an API key. */
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
  if (split < 0 || !isId('account', accountId)) throw unknownCaller()
  return { accountId, key: decoded.slice(split + 1) }
}

async function findByKey(db: Db, accountId: string, key: string, now: Date): Promise<Identity> {
  const found = await db
    .selectFrom('apiKeys as k')
    .innerJoin('users as u', (join) => join.onRef('u.accountId', '=', 'k.accountId').onRef('u.id', '=', 'k.userId'))
    .innerJoin('accounts as a', 'a.id', 'k.accountId')
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
    // Nobody waits for this, and a missed minute of "last used" is no reason to refuse a call.
    noting.execute().catch(() => {})
  }
  return { accountId, userId: found.userId, role: found.role, via: { by: 'key', id: found.keyId } }
}

export const unknownCaller = () =>
  new Refusal(
    'unauthenticated',
    'No valid credentials. Use HTTP Basic authentication with the account id and an API key.',
  )
