import type { Clock } from '#kernel/clock.ts'
import { type Actor, type Fault, NetworkError, type Secret } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'
import {
  type NetworkCall,
  type NetworkHttp,
  type NetworkResponse,
  openNetworkHttp,
  type ResponseClassifier,
} from '../http/network-http.ts'
import { at, listAt, numberAt, textAt } from './fields.ts'

/** LinkedIn API client. */
export interface LinkedInClient {
  app: NetworkApp
  installation: NetworkInstallation
  http: NetworkHttp
}

/** Every token belongs to a member and covers the pages the member manages. */
export type Holder = Pick<Actor, 'secret'> & Partial<Pick<Actor, 'remoteId'>>

/** An encoded path with its query, or a full URL returned by LinkedIn. */
export type LinkedInCall = Omit<NetworkCall, 'url' | 'query'> & { path: string }

export const openClient = (app: NetworkApp, installation: NetworkInstallation): LinkedInClient => ({
  app,
  installation,
  http: openNetworkHttp('LinkedIn', app, installation, linkedInClassifier(installation.clock)),
})

export async function request(
  client: LinkedInClient,
  { secret, remoteId: holder }: Holder,
  call: LinkedInCall,
): Promise<NetworkResponse> {
  const { path, headers, ...rest } = call
  const { app, http } = client
  // Rest.li parses lists before decoding, so the query must be sent exactly as written.
  const url = path.startsWith('/') ? app.hosts.api + path : path
  const sent = {
    authorization: `Bearer ${secret.accessToken}`,
    'linkedin-version': app.apiVersion,
    'x-restli-protocol-version': '2.0.0',
    ...headers,
  }
  try {
    const response = await http({ ...rest, holder, url, headers: sent, uses: { appCalls: 1 } })
    if (response.status < 300) return response
  } catch (error) {
    throw error instanceof NetworkError ? forSecret(client, secret, error) : error
  }
  throw unclear(call, 'the answer leads to another address.')
}

/** The response must be an object: an error page of a gateway proves nothing. */
export async function requestObject(client: LinkedInClient, holder: Holder, path: string): Promise<Json> {
  const { body } = await request(client, holder, { method: 'GET', path })
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw unclear({ method: 'GET', path }, 'the answer is not readable.')
  }
  return body
}

export interface Listed {
  elements: Json[]
  /** Start of the next page. */
  next?: number | undefined
}

/** One page of a list; `path` includes its query. */
export async function requestList(
  client: LinkedInClient,
  holder: Holder,
  path: string,
  { start = 0, count }: { start?: number | undefined; count: number },
): Promise<Listed> {
  const body = await requestObject(
    client,
    holder,
    `${path}${path.includes('?') ? '&' : '?'}start=${start}&count=${count}`,
  )
  if (!Array.isArray(at(body, 'elements'))) throw unclear({ method: 'GET', path }, 'the list is not readable.')
  const elements = listAt(body, 'elements')
  const next = start + elements.length
  const total = numberAt(body, 'paging', 'total')
  const more = elements.length > 0 && (total === undefined ? elements.length >= count : next < total)
  return { elements, next: more ? next : undefined }
}

/** Undefined where LinkedIn doesn't show it to this token or doesn't have it, or, with `input`, rejects the input. */
export async function ifAllowed<Result>(call: Promise<Result>, also?: 'input'): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    const fault = error instanceof NetworkError ? error.fault : undefined
    if (fault?.kind === 'permanent' && ['permission', 'gone', also].includes(fault.why)) return undefined
    throw error
  }
}

/** Token faults depend on whether the token can be refreshed. */
function forSecret({ installation }: LinkedInClient, secret: Secret, error: NetworkError): NetworkError {
  const { fault, remote, message } = error
  if (fault.kind !== 'token') return error
  const meaning = (other: Fault) => new NetworkError('LinkedIn', other, message, remote, error)
  const age = installation.clock.now().getTime() - issuedAt(secret)
  if (remote.code === revokedCode && age < settlingMs) return meaning({ kind: 'retryable', afterMs: 5_000 })
  const isApplicable = fault.remedy === 'reconnect' || secret.refreshToken !== undefined
  return isApplicable ? error : meaning({ kind: 'token', remedy: 'reconnect' })
}

/** Access tokens are valid for sixty days. */
const issuedAt = ({ expiresAt }: Secret) =>
  expiresAt === undefined ? Number.NEGATIVE_INFINITY : expiresAt.getTime() - 60 * 86_400_000

const settlingMs = 15_000

const unclear = ({ irreversible }: Partial<NetworkCall> & { path: string }, what: string) =>
  new NetworkError('LinkedIn', irreversible ? { kind: 'unknownOutcome' } : { kind: 'retryable' }, `LinkedIn: ${what}`)

/** LinkedIn's error codes; all others are classified by HTTP status. */
const codes: { readonly [code: string]: Fault } = {
  // Helps only with a refresh token; `forSecret` decides.
  '65600': { kind: 'token', remedy: 'refresh' },
  '65601': { kind: 'token', remedy: 'reconnect' },
  '65602': { kind: 'token', remedy: 'refresh' },
  ACCESS_DENIED: { kind: 'permanent', why: 'permission' },
  VERSION_MISSING: { kind: 'permanent', why: 'config' },
  INVALID_VERSION: { kind: 'permanent', why: 'config' },
  NONEXISTENT_VERSION: { kind: 'permanent', why: 'config' },
  invalid_grant: { kind: 'token', remedy: 'reconnect' },
  invalid_client: { kind: 'permanent', why: 'config' },
  unauthorized_client: { kind: 'permanent', why: 'config' },
}

const statuses: { readonly [status: number]: Fault } = {
  401: { kind: 'token', remedy: 'refresh' },
  403: { kind: 'permanent', why: 'permission' },
  404: { kind: 'permanent', why: 'gone' },
  408: { kind: 'retryable' },
  410: { kind: 'permanent', why: 'gone' },
  425: { kind: 'retryable' },
  426: { kind: 'permanent', why: 'config' },
}

/** Rejections of a post whose media is still being processed. */
export const notReadyCodes: readonly string[] = ['MEDIA_ASSET_PROCESSING', 'MEDIA_ASSET_WAITING_UPLOAD']

/** 65601 is also returned for valid tokens in their first seconds. */
const revokedCode = '65601'

function linkedInClassifier(clock: Clock): ResponseClassifier {
  return (response, call) => {
    const { status, body, headers } = response
    if (status < 400) return undefined
    const [code, subcode] = codesOf(body)
    const remote = { code, subcode, requestId: headers['x-li-request-id'] ?? headers['x-li-uuid'] }
    const fault = faultOf(response, clock)
    if (status !== 426) return { fault, message: sentenceOf(response), remote }
    const version = call.headers?.['linkedin-version']
    const message = `Version ${version} of the interface is not served any more; raise CHORUS_LINKEDIN_API_VERSION.`
    return { fault, message, remote }
  }
}

function faultOf({ status, body }: NetworkResponse, clock: Clock): Fault {
  const known = codesOf(body)
  if (known.includes('DUPLICATE_POST')) return duplicate(body)
  if (status === 429) return throttled(textAt(body, 'message') ?? '', clock)
  const code = known.find((candidate) => Object.hasOwn(codes, candidate))
  if (code !== undefined && codes[code]) return codes[code]
  if (status >= 500) return { kind: 'retryable' }
  const field = textAt(firstError(body), 'input', 'inputPath', 'fieldPath')
  return statuses[status] ?? { kind: 'permanent', why: 'input', ...(field !== undefined && { field }) }
}

function duplicate(body: Json | undefined): Fault {
  const message = `${textAt(firstError(body), 'description')} ${textAt(body, 'message')}`
  const of = /urn:li:(?:share|ugcPost|activity):\d+/.exec(message)?.[0]
  return { kind: 'duplicate', ...(of !== undefined && { of }) }
}

/** Daily quotas reset at midnight UTC; everything else is a burst limit. */
function throttled(message: string, clock: Clock): Fault {
  const now = clock.now().getTime()
  const daily = /throttle|\bday\b|daily/i.test(message)
  const until = new Date(daily ? (Math.floor(now / day) + 1) * day : now + minute)
  const scope = /application/i.test(message) ? 'app' : /member/i.test(message) ? 'actor' : 'endpoint'
  return { kind: 'throttled', until, scope }
}

/** The most specific first. */
function codesOf(body: Json | undefined): string[] {
  const found = [
    textAt(firstError(body), 'code'),
    textAt(body, 'serviceErrorCode'),
    textAt(body, 'code'),
    textAt(body, 'error'),
  ]
  return found.filter((code) => code !== undefined)
}

function sentenceOf({ status, body }: NetworkResponse): string {
  const own =
    textAt(firstError(body), 'description') ?? textAt(body, 'message') ?? textAt(body, 'error_description') ?? ''
  const sentence = own.replace(/^(?:[\w$]+\.)+\w+:\s*/, '').trim()
  return sentence && !/^[{[]/.test(sentence) ? sentence.slice(0, 500) : `The network answered ${status}.`
}

const firstError = (body: Json | undefined) => listAt(at(body, 'errorDetails'), 'inputErrors')[0]

const minute = 60_000
const day = 86_400_000
