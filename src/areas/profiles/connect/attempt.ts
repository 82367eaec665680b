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
 * A login through a network, in progress. Stored only in an encrypted cookie of the browser that began it: a callback with the state but
 * without the cookie comes from someone else.
 */
export interface Attempt {
  accountId: string
  userId: string
  /** How the user was authenticated at the start. */
  via: Via
  network: Network
  state: string
  /** For PKCE: proves to the network that the code is exchanged by the client that requested it. */
  verifier: string
  redirectUri: string
  /** The profile to reconnect; empty for new ones. */
  credentialId: string
  /** Whether the profiles are private to an advocate, for sharing stories of boards. */
  boardOnly: boolean
  /** The profiles to connect without asking: `all`, or their ids on the network. */
  profiles: string[]
  /** Whether it was started in the console and returns there. */
  inConsole: boolean
  /** In milliseconds. */
  until: number
}

type NewAttempt = Omit<Attempt, 'state' | 'verifier' | 'until'>

export const newAttempt = (attempt: NewAttempt, now: Date): Attempt => ({
  ...attempt,
  state: randomBytes(24).toString('base64url'),
  verifier: randomBytes(48).toString('base64url'),
  until: now.getTime() + attemptSeconds * 1000,
})

export const attemptSeconds = 15 * 60

export const sealAttempt = (keyring: Keyring, attempt: Attempt) =>
  keyring.encrypt(JSON.stringify(attempt), attemptScope)

/** Refuses an invalid or expired attempt, or one for another network. */
export function openAttempt(keyring: Keyring, sealed: string | undefined, network: Network, now: Date): Attempt {
  const attempt = readable(keyring, sealed)
  // Attempts started by an earlier version have no `via`.
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
    return sealed ? JSON.parse(keyring.decrypt(sealed, attemptScope)) : undefined
  } catch {
    return undefined
  }
}

const attemptScope = 'connect attempt'

/** Stores the profiles a login gave access to until the user chooses among them. */
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
  const sealed = keyring.encrypt(JSON.stringify(grants), offerScope({ accountId, id }))
  const row = { accountId, id, created: now, createdBy: userId, network, boardOnly, grants: sealed }
  await db.insertInto('connectOffers').values(row).execute()
  return id
}

/** The profiles of an offer without secrets; only for the user who created it. */
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
  const grants = JSON.parse(keyring.decrypt(offer.grants, offerScope({ accountId, id }))) as Grant[]
  return {
    network: offer.network,
    items: grants.map(({ remoteId, name, username, kind }) => ({ remoteId, name, username, kind })),
  }
}

/** Consumes the offer; only for the user who created it. */
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
  const grants = JSON.parse(keyring.decrypt(offer.grants, offerScope({ accountId, id }))) as Grant[]
  return grants.map(({ secret, ...grant }) => ({
    ...grant,
    secret: { ...secret, expiresAt: date(secret.expiresAt), refreshExpiresAt: date(secret.refreshExpiresAt) },
  }))
}

export const offerScope = ({ accountId, id }: { accountId: string; id: string }) => `connect offer/${accountId}/${id}`

const date = (text: Date | string | undefined) => (text === undefined ? undefined : new Date(text))
