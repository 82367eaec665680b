import type { Clock } from '#kernel/clock.ts'
import type { Actor, Connector, Grant } from '#networks/connector/connector.ts'
import type { ProfileKind } from '#networks/connector/manifest.ts'
import type { Recording } from './recording.ts'
import { runStep } from './steps.ts'

/** How a run gets the token of the profile. */
export type Start =
  | { kind: 'login'; code: string; verifier: string; redirectUri: string }
  | { kind: 'token' | 'refresh'; token: string; profile: string; profileKind: ProfileKind; scopes: string[] }

/** The profiles that the login opened, or the one whose token was given. */
async function connect(connector: Connector, start: Start): Promise<Actor[]> {
  if (start.kind === 'login') return connector.exchangeCode(start)
  const { kind, token, profile: remoteId, profileKind, scopes } = start
  const { network } = connector
  const given = kind === 'token' ? { accessToken: token } : { accessToken: '', refreshToken: token }
  const actor: Actor = { network, kind: profileKind, remoteId, username: '', secret: { ...given, scopes } }
  if (kind === 'refresh') actor.secret = await connector.refreshToken(actor)
  // The username only affects the URLs of posts, so a failure to read it is ignored.
  const { username = '' } = await connector.profile(actor).catch((): { username?: string } => ({}))
  return [{ ...actor, username }]
}

/** The first step of every run. */
export async function connectStep(connector: Connector, start: Start, clock: Clock) {
  let actors: Actor[] = []
  const result = await runStep('connect', clock, async () => {
    actors = await connect(connector, start)
    return { detail: actors.length === 1 ? 'Opened one profile.' : `Opened ${actors.length} profiles.` }
  })
  return { actors, result }
}

/** The start of a recording, with placeholders for its secrets. */
export function startOf({ start, redirectUri, profile }: Recording): Start {
  if (start === 'login') return { kind: 'login', code: placeholders.code, verifier: placeholders.verifier, redirectUri }
  const { remoteId, kind, scopes } = profile
  return { kind: start, token: placeholders.token, profile: remoteId, profileKind: kind, scopes }
}

/** Placeholders for the secrets of a run in its recording. */
export const placeholders = {
  code: '[code]',
  verifier: '[verifier]',
  token: '[given-token]',
  clientId: '[client-id]',
  clientSecret: '[client-secret]',
}

/** The requested profile; throws with the list of profiles if the choice is ambiguous. */
export function chooseProfile(actors: readonly Actor[], wanted: string | undefined): Actor {
  const lines = actors.map((actor) => `  ${actor.remoteId}  ${actor.kind}  ${nameOf(actor)}`)
  if (actors.length === 0) throw new Error('The login opened no profile.')
  const found = wanted === undefined ? actors : actors.filter(({ remoteId }) => remoteId === wanted)
  if (found.length === 1) return found[0] as Actor
  const problem =
    wanted === undefined ? 'The login opened several profiles' : `The login did not open the profile ${wanted}`
  throw new Error(`${problem}; choose one with --profile:\n${lines.join('\n')}`)
}

export const nameOf = (actor: Actor): string => ('name' in actor ? (actor as Grant).name : actor.username)
