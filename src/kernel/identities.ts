import { hash } from 'node:crypto'
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
}

export interface Identities {
  /** Who sends this Authorization header; refuses when nobody does. Only a header not seen lately costs a statement. */
  identify(authorization: string | undefined): Identity | Promise<Identity>
}

const channel = 'chorus_identity'

/** How long a key is believed without asking again, should the news of its end have been missed. */
const believedFor = 2_000
const remembered = 10_000
const usesNoted = 60_000

/** Makes every process forget what it knows of an account's users; to be called in the transaction that changes them. */
export const identitiesChanged = (context: Context) => context.announce(channel, context.accountId)

/** The stored form of an API key. Keys carry at least 160 random bits, so a fast digest is enough. */
export const keyDigest = (key: string) => hash('sha256', key, 'buffer')

export function openIdentities(database: Database, listener: Listener, clock: Clock): Identities {
  const known = new Map<string, { identity: Identity; until: number }>()
  let changes = 0
  // Rare enough that forgetting everybody is simpler than finding the right one.
  listener.on(channel, () => {
    changes++
    known.clear()
  })

  const lookUp = async (header: string): Promise<Identity> => {
    const before = changes
    const { accountId, key } = credentials(header)
    const now = clock.now()
    // Whoever names an account is not yet of it: strangers must not use up what is its.
    const db = known.has(header) ? database.forAccount(accountId) : database.forAnybody(accountId)
    const identity = await findIdentity(db, accountId, key, now)
    if (before === changes) {
      if (known.size >= remembered) known.clear()
      known.set(header, { identity, until: now.getTime() + believedFor })
    }
    return identity
  }

  return {
    identify(authorization) {
      if (!authorization) throw unknownCaller()
      const entry = known.get(authorization)
      return entry && clock.now().getTime() < entry.until ? entry.identity : lookUp(authorization)
    },
  }
}

function credentials(header: string): { accountId: string; key: string } {
  const encoded = /^basic +([a-z0-9+/_=-]+) *$/i.exec(header)?.[1]
  const decoded = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : ''
  const split = decoded.indexOf(':')
  const accountId = decoded.slice(0, split)
  if (split < 0 || !isId('account', accountId)) throw unknownCaller()
  return { accountId, key: decoded.slice(split + 1) }
}

async function findIdentity(db: Db, accountId: string, key: string, now: Date): Promise<Identity> {
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

  if (!found.lastUsed || now.getTime() - found.lastUsed.getTime() > usesNoted) {
    const noting = db
      .updateTable('apiKeys')
      .set({ lastUsed: now })
      .where('accountId', '=', accountId)
      .where('id', '=', found.keyId)
    // Nobody waits for this, and a missed minute of "last used" is no reason to refuse a call.
    noting.execute().catch(() => {})
  }
  return { accountId, userId: found.userId, role: found.role }
}

const unknownCaller = () =>
  new Refusal(
    'unauthenticated',
    'No valid credentials. Use HTTP Basic authentication with the account id and an API key.',
  )
