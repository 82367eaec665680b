import type { Actor, Secret } from '../connector/actor.ts'
import { type Fault, NetworkError } from '../connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../wire/json.ts'
import type { NetworkAnswer, NetworkCall, NetworkHttp } from '../wire/network-http.ts'
import { openNetworkHttp } from '../wire/network-http.ts'
import { at, listAt, numberAt } from './fields.ts'
import { linkedInJudge, revokedCode } from './refusals.ts'

/** What every part of the connector calls LinkedIn with. */
export interface Calls {
  app: NetworkApp
  installation: NetworkInstallation
  http: NetworkHttp
}

/** In whose name: every token is a member's, and reaches the pages that member runs. */
export type Holder = Pick<Actor, 'secret'> & Partial<Pick<Actor, 'remoteId'>>

/** A path of the interface with its query, encoded already, or a whole address that LinkedIn named. */
export type LinkedInCall = Omit<NetworkCall, 'url' | 'query'> & { path: string }

export const openCalls = (app: NetworkApp, installation: NetworkInstallation): Calls => ({
  app,
  installation,
  http: openNetworkHttp('LinkedIn', app, installation, linkedInJudge(installation.clock)),
})

export async function ask(
  calls: Calls,
  { secret, remoteId: holder }: Holder,
  call: LinkedInCall,
): Promise<NetworkAnswer> {
  const { path, headers, ...rest } = call
  const { app, http } = calls
  // Rest.li reads lists before it decodes, so a query must stay exactly as it was written.
  const url = path.startsWith('/') ? app.hosts.api + path : path
  const sent = {
    authorization: `Bearer ${secret.accessToken}`,
    'linkedin-version': app.apiVersion,
    'x-restli-protocol-version': '2.0.0',
    ...headers,
  }
  try {
    const answer = await http({ ...rest, holder, url, headers: sent, uses: { appCalls: 1 } })
    if (answer.status < 300) return answer
  } catch (error) {
    throw error instanceof NetworkError ? forSecret(calls, secret, error) : error
  }
  throw unclear(call, 'the answer leads to another address.')
}

/** An answer that must be an object: nothing is concluded from a page that some gateway has put in its place. */
export async function read(calls: Calls, holder: Holder, path: string): Promise<Json> {
  const { body } = await ask(calls, holder, { method: 'GET', path })
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw unclear({ method: 'GET', path }, 'the answer is not readable.')
  }
  return body
}

export interface Listed {
  elements: Json[]
  /** Where the next page begins. */
  next?: number | undefined
}

/** One page of a list; `path` has its query already. */
export async function list(
  calls: Calls,
  holder: Holder,
  path: string,
  { start = 0, count }: { start?: number | undefined; count: number },
): Promise<Listed> {
  const body = await read(calls, holder, `${path}${path.includes('?') ? '&' : '?'}start=${start}&count=${count}`)
  if (!Array.isArray(at(body, 'elements'))) throw unclear({ method: 'GET', path }, 'the list is not readable.')
  const elements = listAt(body, 'elements')
  const next = start + elements.length
  const total = numberAt(body, 'paging', 'total')
  const more = elements.length > 0 && (total === undefined ? elements.length >= count : next < total)
  return { elements, next: more ? next : undefined }
}

/** Nothing, where LinkedIn does not show it to this token or does not have it; nor, with `input`, where it refuses to take it. */
export async function ifAllowed<Result>(call: Promise<Result>, also?: 'input'): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    const fault = error instanceof NetworkError ? error.fault : undefined
    if (fault?.kind === 'permanent' && ['permission', 'gone', also].includes(fault.why)) return undefined
    throw error
  }
}

/** What the answer says of a token depends on the token. */
function forSecret({ installation }: Calls, secret: Secret, error: NetworkError): NetworkError {
  const { fault, remote, message } = error
  if (fault.kind !== 'token') return error
  const meaning = (other: Fault) => new NetworkError('LinkedIn', other, message, remote, error)
  const age = installation.clock.now().getTime() - issuedAt(secret)
  if (remote.code === revokedCode && age < settlingMs) return meaning({ kind: 'retryable', afterMs: 5_000 })
  const stands = fault.remedy === 'reconnect' || secret.refreshToken !== undefined
  return stands ? error : meaning({ kind: 'token', remedy: 'reconnect' })
}

/** Access tokens live for sixty days. */
const issuedAt = ({ expiresAt }: Secret) =>
  expiresAt === undefined ? Number.NEGATIVE_INFINITY : expiresAt.getTime() - 60 * 86_400_000

const settlingMs = 15_000

const unclear = ({ irreversible }: Partial<NetworkCall> & { path: string }, what: string) =>
  new NetworkError('LinkedIn', irreversible ? { kind: 'unknownOutcome' } : { kind: 'retryable' }, `LinkedIn: ${what}`)
