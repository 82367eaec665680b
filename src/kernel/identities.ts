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

export const unknownCaller = () =>
  new Refusal(
    'unauthenticated',
    'No valid credentials. Use HTTP Basic authentication with the account id and an API key.',
  )
