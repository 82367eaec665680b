import { setTimeout as sleep } from 'node:timers/promises'
import type { Secret } from '#networks/connector/actor.ts'
import { type AccessInstallation, type Profile, type ProfilePlace, readProfile } from './profile-row.ts'
import { endOf, mergedSecret, renewalOf, sealSecret } from './profile-secret.ts'

/**
 * Fetches a new token in place of this one, once, however many ask: some networks end the old one with every new one. Who comes
 * while another process is at it waits for what that one gets.
 */
export function renewToken(installation: AccessInstallation, place: ProfilePlace, stale: Profile): Promise<Profile> {
  const key = `${place.accountId}/${place.id}/${stale.secretVersion}`
  const running = renewals.get(key) ?? renewOnce(installation, place, stale).finally(() => renewals.delete(key))
  renewals.set(key, running)
  return running
}

/** Those under way in this process. */
const renewals = new Map<string, Promise<Profile>>()

async function renewOnce(installation: AccessInstallation, place: ProfilePlace, stale: Profile): Promise<Profile> {
  for (;;) {
    // Also refuses, when whoever was at it has found the profile to be invalid.
    const current = await readProfile(installation, place)
    if (current.secretVersion !== stale.secretVersion) return current
    if (await claim(installation, place, stale)) return fetchToken(installation, place, stale)
    await sleep(pause)
  }
}

const pause = 50
/** Longer than a call to a network may take; after that whoever was at it is gone. */
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
        // Later than any can be: of a clock that was set back since.
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
