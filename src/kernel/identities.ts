import { hash } from 'node:crypto'
import type { Via } from './caller.ts'
import type { Clock } from './clock.ts'
import type { Context } from './context.ts'
import type { Database, Db } from './database/database.ts'
import type { Listener } from './database/listener.ts'
import { Refusal } from './errors.ts'
import type { CallerRole } from './permissions.ts'

export interface Identity {
  accountId: string
  userId: string
  role: CallerRole
  via: Via & { readonly by: 'key' | 'session' }
}

export interface Identities {
  /** Resolves a credential to an identity, or refuses it. Only credentials missing from the cache cost a statement. */
  identify(proof: string): Identity | Promise<Identity>
}

const channel = 'chorus_identity'

/** How long a cached credential is trusted, in case the notification of its revocation was missed. */
const believedFor = 2_000
const remembered = 10_000
const usesNoted = 60_000

/** Makes every process drop its cached users of an account; call it in the transaction that changes them. */
export const identitiesChanged = (context: Context) => context.announce(channel, context.accountId)

/**
 * Calls back with the account whose users, keys or sessions changed, and with undefined after a gap in which changes may have been missed.
 */
export const whenIdentitiesChange = (listener: Listener, callback: (accountId: string | undefined) => void) =>
  listener.on(channel, callback)

/** The stored form of API keys, sessions and single-use links. All carry at least 160 random bits, so a fast digest is enough. */
export const keyDigest = (key: string) => hash('sha256', key, 'buffer')

/** Whether the last use is recorded recently enough: once a minute is sufficient. */
export const isUseNoted = (lastUsed: Date | null, now: Date) =>
  lastUsed !== null && now.getTime() - lastUsed.getTime() <= usesNoted

/** Looks up the identity of a credential. Unauthenticated lookups must not use up the connections of the account they name. */
type LookUp = (proof: string, handleFor: (accountId: string) => Db, now: Date) => Promise<Identity>

/** Caches the identities that a lookup returns for a short time. */
export function openRemembered(database: Database, listener: Listener, clock: Clock, lookUp: LookUp): Identities {
  const known = new Map<string, { identity: Identity; until: number }>()
  let changes = 0
  // Rare enough that clearing the whole cache is simpler than finding the entry.
  listener.on(channel, () => {
    changes++
    known.clear()
  })

  const find = async (proof: string): Promise<Identity> => {
    const before = changes
    const now = clock.now()
    const identity = await lookUp(proof, known.has(proof) ? database.forAccount : database.forUnauthenticated, now)
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

export const unknownCaller = () =>
  new Refusal(
    'unauthenticated',
    'No valid credentials. Use HTTP Basic authentication with the account id and an API key.',
  )
