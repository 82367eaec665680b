import type { Actor } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import { markInvalid } from './invalid-profile.ts'
import { type AccessInstallation, type Profile, type ProfilePlace, readProfile } from './profile-row.ts'
import { renewToken } from './renewal.ts'

/**
 * Does something in the name of a profile. A token that has run out is renewed first, one that is refused once; when the
 * network says that the grant is gone, the profile turns invalid and its account is told. Who has read its row already says so with `find`.
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
      // A token that is new is not refused because of its age.
      if (renewed || error.fault.remedy === 'reconnect') return giveUp(installation, place, profile, error)
      refused = true
    }
  }
}

function hasRunOut({ actor }: Profile, { clock }: AccessInstallation): boolean {
  const { expiresAt } = actor.secret
  return expiresAt !== undefined && expiresAt.getTime() <= clock.now().getTime() + margin
}

/** A call that begins with the last seconds of a token may end without it. */
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
