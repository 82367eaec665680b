import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor, Connector, Secret } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { markInvalid } from './invalid-profile.ts'
import {
  type AccessInstallation,
  endOf,
  mergedSecret,
  type Profile,
  type ProfilePlace,
  readProfile,
  renewalOf,
  sealSecret,
} from './profile-row.ts'

/**
 * Runs an action with a profile's token. An expired token is renewed first, a refused one is renewed once; if the network reports that the
 * grant was revoked, the profile becomes invalid and its account is notified. Pass `find` if the row was read already.
 */
export async function withProfile<Result>(
  installation: AccessInstallation,
  place: ProfilePlace,
  call: (connector: Connector, actor: Actor) => Promise<Result>,
  find: (installation: AccessInstallation, place: ProfilePlace) => Profile | Promise<Profile> = readProfile,
): Promise<Result> {
  let profile = await find(installation, place)
  let refused = false
  let renewed = false
  for (;;) {
    try {
      if (!renewed && (refused || hasRunOut(profile, installation))) {
        renewed = true
        profile = await renewToken(installation, place, profile)
      }
      return await call(profile.connector, profile.actor)
    } catch (error) {
      if (!isTokenFault(error)) throw error
      // A freshly renewed token cannot have been refused because of its age.
      if (renewed || error.fault.remedy === 'reconnect') return giveUp(installation, place, profile, error)
      refused = true
    }
  }
}

function hasRunOut({ actor }: Profile, { clock }: AccessInstallation): boolean {
  const { expiresAt } = actor.secret
  return expiresAt !== undefined && expiresAt.getTime() <= clock.now().getTime() + margin
}

/** A token that is about to expire might do so during the call. */
const margin = 60_000

type TokenError = NetworkError & { fault: { kind: 'token' } }

const isTokenFault = (error: unknown): error is TokenError =>
  error instanceof NetworkError && error.fault.kind === 'token'

async function giveUp(
  installation: AccessInstallation,
  place: ProfilePlace,
  profile: Profile,
  error: TokenError,
): Promise<never> {
  await markInvalid(installation, place, profile.secretVersion, error.message)
  throw new NetworkError(error.network, { kind: 'token', remedy: 'reconnect' }, error.message, error.remote, error)
}

/**
 * Renews this token exactly once, however many callers there are: some networks revoke the old token with every new one. Callers that
 * arrive while another process renews it wait for the result.
 */
export function renewToken(installation: AccessInstallation, place: ProfilePlace, stale: Profile): Promise<Profile> {
  const key = `${place.accountId}/${place.id}/${stale.secretVersion}`
  const running = renewals.get(key) ?? renewOnce(installation, place, stale).finally(() => renewals.delete(key))
  renewals.set(key, running)
  return running
}

/** Renewals in progress in this process. */
const renewals = new Map<string, Promise<Profile>>()

async function renewOnce(installation: AccessInstallation, place: ProfilePlace, stale: Profile): Promise<Profile> {
  for (;;) {
    // Throws if the other process found the profile to be invalid.
    const current = await readProfile(installation, place)
    if (current.secretVersion !== stale.secretVersion) return current
    if (await claim(installation, place, stale)) return fetchToken(installation, place, stale)
    await sleep(pause)
  }
}

const pause = 50
/** Longer than a call to a network may take; after that the claiming process is considered dead. */
const claimMs = 90_000

async function claim({ database, clock }: AccessInstallation, place: ProfilePlace, { secretVersion }: Profile) {
  const now = clock.now()
  const { numUpdatedRows } = await database
    .forAccount(place.accountId)
    .updateTable('credentials')
    .set({ refreshingUntil: new Date(now.getTime() + claimMs) })
    .where('accountId', '=', place.accountId)
    .where('id', '=', place.id)
    .where('secretVersion', '=', secretVersion)
    .where(({ or, eb }) =>
      or([
        eb('refreshingUntil', 'is', null),
        eb('refreshingUntil', '<', now),
        // Later than any valid claim: the clock was set back since.
        eb('refreshingUntil', '>', new Date(now.getTime() + 2 * claimMs)),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function fetchToken(
  installation: AccessInstallation,
  place: ProfilePlace,
  { connector, actor, secretVersion }: Profile,
) {
  try {
    const secret = mergedSecret(actor.secret, await connector.refreshToken(actor))
    await store(installation, place, secretVersion, secret)
    return { connector, actor: { ...actor, secret }, secretVersion: secretVersion + 1 }
  } catch (error) {
    await release(installation, place, secretVersion)
    throw error
  }
}

async function store(
  { database, keyring, clock }: AccessInstallation,
  place: ProfilePlace,
  version: number,
  secret: Secret,
) {
  const now = clock.now()
  await database
    .forAccount(place.accountId)
    .updateTable('credentials')
    .set({
      secret: sealSecret(keyring, place, secret),
      secretVersion: version + 1,
      expiresOn: endOf(secret),
      renewOn: renewalOf(secret, now),
      refreshingUntil: null,
      modified: now,
    })
    .where('accountId', '=', place.accountId)
    .where('id', '=', place.id)
    .where('secretVersion', '=', version)
    .execute()
}

async function release({ database }: AccessInstallation, place: ProfilePlace, version: number) {
  await database
    .forAccount(place.accountId)
    .updateTable('credentials')
    .set({ refreshingUntil: null })
    .where('accountId', '=', place.accountId)
    .where('id', '=', place.id)
    .where('secretVersion', '=', version)
    .execute()
}
