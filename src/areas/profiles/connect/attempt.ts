import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Via } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import type { Grant } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { profileIds } from '../declarations.ts'

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

interface Place {
  accountId: string
  id: string
}

/** Keeps what a login has opened until somebody chooses from it. */
export async function makeOffer(
  context: Context,
  { network, boardOnly }: Pick<Attempt, 'network' | 'boardOnly'>,
  grants: readonly Grant[],
): Promise<string> {
  const { db, accountId, userId, now, keyring } = context
  const id = newId(profileIds.connectOffer, now)
  await db
    .deleteFrom('connectOffers')
    .where('accountId', '=', accountId)
    .where('created', '<', new Date(now.getTime() - attemptSeconds * 1000))
    .execute()
  const sealed = keyring.encrypt(JSON.stringify(grants), placeOf({ accountId, id }))
  const row = { accountId, id, created: now, createdBy: userId, network, boardOnly, grants: sealed }
  await db.insertInto('connectOffers').values(row).execute()
  return id
}

/** What there is to choose from, without its secrets, for who made it. */
export async function findOffer({ db, accountId, userId, keyring, now }: Context, { id }: { id: string }) {
  const offer = await db
    .selectFrom('connectOffers')
    .select(['network', 'grants'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('createdBy', '=', userId)
    .where('boardOnly', '=', false)
    .where('created', '>=', new Date(now.getTime() - attemptSeconds * 1000))
    .executeTakeFirst()
  if (!offer) throw missing('Offer')
  const grants = JSON.parse(keyring.decrypt(offer.grants, placeOf({ accountId, id }))) as Grant[]
  return {
    network: offer.network,
    items: grants.map(({ remoteId, name, username, kind }) => ({ remoteId, name, username, kind })),
  }
}

/** Takes it, once: who made it chooses from it. */
export async function takeOffer(
  { db, accountId, userId, keyring }: Context,
  id: string,
  boardOnly: boolean,
): Promise<Grant[]> {
  const offer = await db
    .deleteFrom('connectOffers')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('createdBy', '=', userId)
    .where('boardOnly', '=', boardOnly)
    .returning('grants')
    .executeTakeFirst()
  if (!offer) throw invalid('The choice was made already, or too long ago. Start the login again.')
  const grants = JSON.parse(keyring.decrypt(offer.grants, placeOf({ accountId, id }))) as Grant[]
  return grants.map(({ secret, ...grant }) => ({
    ...grant,
    secret: { ...secret, expiresAt: date(secret.expiresAt), refreshExpiresAt: date(secret.refreshExpiresAt) },
  }))
}

export const placeOf = ({ accountId, id }: Place) => `connect offer/${accountId}/${id}`

const date = (text: Date | string | undefined) => (text === undefined ? undefined : new Date(text))
