import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Via } from '#kernel/caller.ts'
import { invalid } from '#kernel/errors.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import type { Network } from '#networks/manifests.ts'

/**
 * One way of a browser through a network's login. It is kept, encrypted, in a cookie of that browser and nowhere else: whoever
 * comes back with the state but without the cookie is somebody else.
 */
export interface Attempt {
  accountId: string
  userId: string
  /** By what they were known when they began. */
  via: Via
  network: Network
  state: string
  /** For PKCE: proves to the network that who exchanges the code is who asked for it. */
  verifier: string
  redirectUri: string
  /** The profile to connect again; empty for new ones. */
  credentialId: string
  /** Whether they are somebody's own, to share what boards offer, and for nobody else to use. */
  boardOnly: boolean
  /** Which profiles to take without asking: `all`, or their ids on the network. */
  profiles: string[]
  /** Whether it was begun in the console, and ends there. */
  inConsole: boolean
  /** Milliseconds. */
  until: number
}

type Wish = Omit<Attempt, 'state' | 'verifier' | 'until'>

export const newAttempt = (wish: Wish, now: Date): Attempt => ({
  ...wish,
  state: randomBytes(24).toString('base64url'),
  verifier: randomBytes(48).toString('base64url'),
  until: now.getTime() + attemptSeconds * 1000,
})

export const attemptSeconds = 15 * 60

export const sealAttempt = (keyring: Keyring, attempt: Attempt) => keyring.encrypt(JSON.stringify(attempt), place)

/** Refuses what is no attempt of ours, too old, or for another network. */
export function openAttempt(keyring: Keyring, sealed: string | undefined, network: Network, now: Date): Attempt {
  const attempt = readable(keyring, sealed)
  // One that an earlier version began does not say by what its owner was known.
  if (!attempt?.via || attempt.network !== network || attempt.until < now.getTime())
    throw invalid(`This login was not begun here, or more than ${attemptSeconds / 60} minutes ago. Start it again.`)
  return attempt
}

export function requireState({ state }: Attempt, given: string) {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(state), digest(given)))
    throw invalid('The answer belongs to another login than the one begun here. Start it again.')
}

function readable(keyring: Keyring, sealed: string | undefined): Attempt | undefined {
  try {
    return sealed ? JSON.parse(keyring.decrypt(sealed, place)) : undefined
  } catch {
    return undefined
  }
}

const place = 'connect attempt'
