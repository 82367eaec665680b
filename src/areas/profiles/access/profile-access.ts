import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '#kernel/context.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import type { Log } from '#kernel/log.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import type { Actor, Connector, Secret } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { markInvalid, warnOfExpiry } from './invalid-profile.ts'
import {
  type AccessInstallation,
  endOf,
  mergedSecret,
  type Profile,
  type ProfileInstallation,
  type ProfileRef,
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
  ref: ProfileRef,
  call: (connector: Connector, actor: Actor) => Promise<Result>,
  find: (installation: AccessInstallation, ref: ProfileRef) => Profile | Promise<Profile> = readProfile,
): Promise<Result> {
  let profile = await find(installation, ref)
  let refused = false
  let renewed = false
  for (;;) {
    try {
      if (!renewed && (refused || isExpired(profile, installation))) {
        renewed = true
        profile = await renewToken(installation, ref, profile)
      }
      return await call(profile.connector, profile.actor)
    } catch (error) {
      if (!isTokenFault(error)) throw error
      // A freshly renewed token cannot have been refused because of its age.
      if (renewed || error.fault.remedy === 'reconnect') return endAccess(installation, ref, profile, error)
      refused = true
    }
  }
}

function isExpired({ actor }: Profile, { clock }: AccessInstallation): boolean {
  const { expiresAt } = actor.secret
  return expiresAt !== undefined && expiresAt.getTime() <= clock.now().getTime() + expiryMargin
}

/** A token that is about to expire might do so during the call. */
const expiryMargin = 60_000

type TokenError = NetworkError & { fault: { kind: 'token' } }

const isTokenFault = (error: unknown): error is TokenError =>
  error instanceof NetworkError && error.fault.kind === 'token'

async function endAccess(
  installation: AccessInstallation,
  ref: ProfileRef,
  profile: Profile,
  error: TokenError,
): Promise<never> {
  await markInvalid(installation, ref, profile.secretVersion, error.message)
  throw new NetworkError(error.network, { kind: 'token', remedy: 'reconnect' }, error.message, error.remote, error)
}

/**
 * Renews this token exactly once, however many callers there are: some networks revoke the old token with every new one. Callers that
 * arrive while another process renews it wait for the result.
 */
function renewToken(installation: AccessInstallation, ref: ProfileRef, stale: Profile): Promise<Profile> {
  const key = `${ref.accountId}/${ref.id}/${stale.secretVersion}`
  const running = renewals.get(key) ?? renewOnce(installation, ref, stale).finally(() => renewals.delete(key))
  renewals.set(key, running)
  return running
}

/** Renewals in progress in this process. */
const renewals = new Map<string, Promise<Profile>>()

async function renewOnce(installation: AccessInstallation, ref: ProfileRef, stale: Profile): Promise<Profile> {
  for (;;) {
    // Throws if the other process found the profile to be invalid.
    const current = await readProfile(installation, ref)
    if (current.secretVersion !== stale.secretVersion) return current
    if (await claim(installation, ref, stale)) return fetchToken(installation, ref, stale)
    await sleep(pollMs)
  }
}

const pollMs = 50
/** Longer than a call to a network may take; after that the claiming process is considered dead. */
const claimMs = 90_000

async function claim({ database, clock }: AccessInstallation, ref: ProfileRef, { secretVersion }: Profile) {
  const now = clock.now()
  const { numUpdatedRows } = await database
    .forAccount(ref.accountId)
    .updateTable('credentials')
    .set({ refreshingUntil: new Date(now.getTime() + claimMs) })
    .where('accountId', '=', ref.accountId)
    .where('id', '=', ref.id)
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
  ref: ProfileRef,
  { connector, actor, secretVersion }: Profile,
) {
  try {
    const secret = mergedSecret(actor.secret, await connector.refreshToken(actor))
    await store(installation, ref, secretVersion, secret)
    return { connector, actor: { ...actor, secret }, secretVersion: secretVersion + 1 }
  } catch (error) {
    await release(installation, ref, secretVersion)
    throw error
  }
}

async function store(
  { database, keyring, clock }: AccessInstallation,
  ref: ProfileRef,
  version: number,
  secret: Secret,
) {
  const now = clock.now()
  await database
    .forAccount(ref.accountId)
    .updateTable('credentials')
    .set({
      secret: sealSecret(keyring, ref, secret),
      secretVersion: version + 1,
      expiresOn: endOf(secret),
      renewOn: renewalOf(secret, now),
      refreshingUntil: null,
      modified: now,
    })
    .where('accountId', '=', ref.accountId)
    .where('id', '=', ref.id)
    .where('secretVersion', '=', version)
    .execute()
}

async function release({ database }: AccessInstallation, ref: ProfileRef, version: number) {
  await database
    .forAccount(ref.accountId)
    .updateTable('credentials')
    .set({ refreshingUntil: null })
    .where('accountId', '=', ref.accountId)
    .where('id', '=', ref.id)
    .where('secretVersion', '=', version)
    .execute()
}

export const renewTokens = { name: 'profiles.renew-tokens', queue: 'housekeeping' } as const

/** Renews tokens long before they expire, whether they are used or not, and warns of those that only a user can renew. */
export const renewTokensJob = (installation: ProfileInstallation): Job<Record<string, never>> =>
  job(renewTokens.name, {
    ...renewTokens,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, async (accountId) => {
        for (const { id } of await context.transaction(accountId, dueProfiles)) {
          if (context.signal.aborted) return
          if (!(await renewEarly(installation, { accountId, id }, context.log)))
            await context.transaction(accountId, (inside) => stopRenewing(inside, id))
        }
        await context.transaction(accountId, warnOfExpiry)
      }),
  })

const dueProfiles = ({ db, accountId, now }: Context) =>
  db
    .selectFrom('credentials')
    .select('id')
    .where('accountId', '=', accountId)
    .where('renewOn', '<=', now)
    .where('status', '=', 'valid')
    .where('deleted', 'is', null)
    .execute()

/** Returns whether to retry in an hour. */
async function renewEarly(installation: ProfileInstallation, ref: ProfileRef, log: Log): Promise<boolean> {
  try {
    await renewToken(installation, ref, await readProfile(installation, ref))
    return true
  } catch (error) {
    if (!(error instanceof NetworkError)) {
      // A problem with one profile does not affect the others.
      skipRow(log, { kind: 'profile', id: ref.id }, error)
      return true
    }
    return error.fault.kind !== 'token' && error.fault.kind !== 'permanent'
  }
}

/** A token that cannot be renewed stays valid until it expires. */
const stopRenewing = ({ db, accountId }: Context, id: string) =>
  db.updateTable('credentials').set({ renewOn: null }).where('accountId', '=', accountId).where('id', '=', id).execute()
