import type { Uses } from '../connector/budget.ts'
import { type Actor, type Fault, NetworkError, type PermanentReason, type Remote } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation, Usage } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'
import {
  endpointOf,
  type NetworkCall,
  type NetworkResponse,
  openNetworkHttp,
  type Rejection,
} from '../http/network-http.ts'
import { replyRule } from './manifest.ts'
import { dataOf, objectIn } from './responses.ts'

/** In millionths of a dollar, by the names on the price list (https://docs.x.com/x-api/getting-started/pricing, 2026-08-22). */
const prices: { readonly [item: string]: number } = {
  'Posts: Read': 5_000,
  'User: Read': 10_000,
  'DM Event: Read': 10_000,
  'Post: Create': 15_000,
  'Post: Create (with URL)': 200_000,
  'DM Interaction: Create': 15_000,
  'User Interaction: Create': 15_000,
  'Interaction: Delete': 10_000,
  'Media Metadata': 5_000,
}

/** A request by its path under the version. */
type Priced = Pick<NetworkCall, 'method' | 'json'> & { path: string }

/** Budgets checked before a request; the actual cost is known from the response. */
const budgetsOf = ({ method }: Pick<Priced, 'method'>): Uses => (method === 'GET' ? { cost: 0, posts: 0 } : { cost: 0 })

/**
 * Estimates the cost of a response: reads per resource, each once a day (UTC), other requests by the request. Other processes
 * may have paid for the same resource that day, so the estimate is never too low.
 */
function openCostEstimate() {
  let day = ''
  let paid = new Set<string>()
  const firstToday = (kind: string, id: string, now: Date): boolean => {
    const today = now.toISOString().slice(0, 10)
    if (today !== day) paid = new Set()
    day = today
    const key = `${kind} ${id}`
    if (paid.has(key)) return false
    if (paid.size < maximumRemembered) paid.add(key)
    return true
  }
  return (call: Priced, response: NetworkResponse, now: Date): Uses => {
    if (response.status >= 400) return {}
    if (call.method !== 'GET') return { cost: actionPrice(call) }
    const body = objectIn(response.body)
    const read = (kind: Resource, value: unknown) =>
      [value ?? []].flat().filter((row) => firstToday(kind, String((row as { id?: string }).id), now)).length
    const kind = kindOf(call.path)
    const main = kind ? read(kind, body.data) : 0
    const users = read('User: Read', objectIn(body.includes).users)
    return {
      cost: main * (kind ? (prices[kind] ?? 0) : 0) + users * (prices['User: Read'] ?? 0),
      posts: kind === 'Posts: Read' ? main : 0,
    }
  }
}

/** Enough for the day of a large installation; beyond it a repeated read is counted again. */
const maximumRemembered = 50_000

type Resource = 'Posts: Read' | 'User: Read' | 'DM Event: Read'

function kindOf(path: string): Resource | undefined {
  if (path.includes('dm_')) return 'DM Event: Read'
  if (/^\/users\/(me|by\/username\/[^/]+|\d+)$/.test(path)) return 'User: Read'
  return /^\/(tweets|users|lists)(\/|$)/.test(path) ? 'Posts: Read' : undefined
}

function actionPrice({ method, path, json }: Priced): number {
  const { text = '', reply } = (json ?? {}) as { text?: string; reply?: unknown }
  const price = (item: string) => prices[item] ?? 0
  if (method === 'DELETE') return price('Interaction: Delete')
  if (path === '/tweets' && reply) return price('Post: Create')
  if (path === '/tweets') return price(/https?:\/\//.test(text) ? 'Post: Create (with URL)' : 'Post: Create')
  if (path.endsWith('/messages')) return price('DM Interaction: Create')
  if (path.endsWith('/likes')) return price('User Interaction: Create')
  return path === '/media/metadata' ? price('Media Metadata') : 0
}

/** A request by its path under the version. */
export type XCall = Omit<NetworkCall, 'url' | 'headers'> & { path: string }

/** X API client. */
export interface XClient {
  readonly app: NetworkApp
  readonly installation: NetworkInstallation
  /** On behalf of a profile. */
  as(actor: Actor, call: XCall): Promise<NetworkResponse>
  /** As the app, with its bearer token. */
  asApp(bearer: string, call: XCall): Promise<NetworkResponse>
  /** With one of the app's key pairs; the path starts at the root. */
  withKeys(keys: { id: string; secret: string }, call: XCall): Promise<NetworkResponse>
}

export function openClient(app: NetworkApp, installation: NetworkInstallation): XClient {
  const http = openNetworkHttp('Twitter', app, installation, (response, sent) => {
    reportUsage(installation, response, sent)
    return rejectionOf(response, sent, installation.clock.now())
  })
  const send = (authorization: string, call: NetworkCall) => http({ ...call, headers: { authorization } })
  // Enterprise contracts have their own prices.
  const bill = app.options.tier === 'enterprise' ? undefined : openCostEstimate()
  const callAs = async (actor: Actor, call: XCall) => {
    const { remoteId: holder, secret } = actor
    const sent = { ...versioned(call), holder, uses: budgetsOf(call) }
    const response = await send(`Bearer ${secret.accessToken}`, sent)
    if (bill) installation.meter?.spent(holder, bill(call, response, installation.clock.now()))
    return response
  }
  const root = app.hosts.api
  const versioned = ({ path, ...call }: XCall) => ({ ...call, url: `${root}/${app.apiVersion}${path}` })
  return {
    app,
    installation,
    as: callAs,
    asApp: (bearer, call) => send(`Bearer ${bearer}`, versioned(call)),
    withKeys: ({ id, secret }, { path, ...call }) => send(basic(id, secret), { ...call, url: `${root}${path}` }),
  }
}

/** The id in a response; without it the outcome of an irreversible request is unknown. */
export function idIn(
  response: NetworkResponse,
  name: string,
  kind: 'retryable' | 'unknownOutcome' = 'retryable',
): string {
  const id = dataOf<{ [name: string]: unknown }>(response)[name]
  if (typeof id === 'string' && id !== '') return id
  const sentence = 'Twitter: the answer of the network says nothing that can be understood.'
  throw new NetworkError('Twitter', { kind }, sentence, { status: response.status })
}

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

export const postUrl = ({ app }: XClient, username: string | undefined, id: string) =>
  `${app.hosts.public}/${username ?? 'i'}/status/${id}`

type Headers = NetworkResponse['headers']

/** Who has to wait when a rate limit is exhausted. */
const allowances = [
  { prefix: 'x-app-limit-24hour', scope: 'app' },
  { prefix: 'x-user-limit-24hour', scope: 'actor' },
  { prefix: 'x-rate-limit', scope: 'endpoint' },
] as const

const fallbackMs = 900_000

/** Reports usage after every response with rate limit headers. X limits each endpoint separately, per app or per user. */
function reportUsage(installation: NetworkInstallation, { headers }: NetworkResponse, call: NetworkCall) {
  const endpoint = endpointOf(call, new URL(call.url))
  const holder = call.holder ?? 'app'
  for (const { prefix, scope } of allowances) {
    const [limit, remaining] = [numberIn(headers, `${prefix}-limit`), numberIn(headers, `${prefix}-remaining`)]
    if (!limit || remaining === undefined) continue
    const of = `${scope === 'app' ? 'app' : holder} ${endpoint}`
    const usage: Usage = { network: 'Twitter', scope: 'endpoint', of, used: 1 - remaining / limit }
    installation.report?.({ ...usage, until: endOf(headers, prefix) })
  }
}

/** Reset time of the exhausted limit, the longest first. */
function resetAt(headers: Headers, now: Date): { until: Date; scope: Usage['scope'] } {
  const exhausted = allowances.find(({ prefix }) => numberIn(headers, `${prefix}-remaining`) === 0)
  const until = endOf(headers, exhausted?.prefix ?? 'x-rate-limit')
  return { until: until ?? new Date(now.getTime() + fallbackMs), scope: exhausted?.scope ?? 'endpoint' }
}

function endOf(headers: Headers, prefix: string): Date | undefined {
  const seconds = numberIn(headers, `${prefix}-reset`)
  return seconds === undefined ? undefined : new Date(seconds * 1000)
}

function numberIn(headers: Headers, name: string): number | undefined {
  const value = Number(headers[name] ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** X has no code for it: the message is the only indication. */
const duplicatePhrase = 'You are not allowed to create a Tweet with duplicate content.'
const mediaPhrase = 'Your media IDs are invalid.'
/** Marks faults about media that is still being processed or expired. */
export const mediaRejected = 'media'

/** By the last segment of a problem's `type`, independent of the status. */
const byType: { readonly [type: string]: PermanentReason } = {
  'invalid-request': 'input',
  'client-forbidden': 'permission',
  'unsupported-authentication': 'permission',
  'not-authorized-for-field': 'permission',
  'field-unauthorized': 'permission',
  'not-authorized-for-resource': 'policy',
  'disallowed-resource': 'policy',
  'resource-not-found': 'gone',
  'resource-unavailable': 'gone',
}

const rateLimitCode = '88'
const spentTypes = ['usage-capped', 'credits']
const hourMs = 3_600_000

interface Problem {
  type: string
  code: string
  message: string
  period: string
  generic: boolean
}

/** The fault of a response; undefined if it isn't one of X's rejections. */
function rejectionOf(response: NetworkResponse, call: NetworkCall, now: Date): Rejection | undefined {
  const body = objectIn(response.body)
  if (response.status < 400 && !isEmptyPartial(body)) return undefined
  const problem = problemIn(body)
  const fault = faultOf(response, call, body, problem, now)
  if (!fault) return undefined
  const requestId = response.headers['x-transaction-id']
  const code = problem.message === mediaPhrase ? mediaRejected : problem.code || problem.type || undefined
  const remote: Remote = { status: response.status, code, requestId }
  const message = problem.message || `The network answered ${response.status}.`
  const isRefusedReply = response.status === 403 && fault.kind === 'permanent' && 'reply' in Object(call.json)
  return { fault, message: isRefusedReply ? `${message} ${replyRule}` : message, remote }
}

function faultOf(
  { status, headers }: NetworkResponse,
  call: NetworkCall,
  body: { [key: string]: Json },
  problem: Problem,
  now: Date,
): Fault | undefined {
  if (status >= 500 || status === 408 || status === 425) return { kind: 'retryable' }
  if (typeof body.error === 'string') return tokenFault(status, call)
  if (status === 402 || spentTypes.includes(problem.type)) {
    return { kind: 'throttled', until: periodEnd(problem.period, now), scope: 'app' }
  }
  if (status === 429 || problem.code === rateLimitCode) return { kind: 'throttled', ...resetAt(headers, now) }
  if (status === 401) return { kind: 'token', remedy: 'refresh' }
  if (status === 403 && problem.message === duplicatePhrase) return { kind: 'duplicate' }
  const why = byType[problem.type] ?? byStatus(status, problem)
  return why && { kind: 'permanent', why }
}

function byStatus(status: number, problem: Problem): PermanentReason | undefined {
  if (status === 403) return forbidden(problem)
  if (status === 404 || status === 410) return 'gone'
  return status < 400 ? undefined : 'input'
}

/** Without a type X says only "Forbidden" if a scope is missing, and otherwise why the content is rejected. */
const forbidden = ({ generic }: Problem): PermanentReason => (generic ? 'permission' : 'policy')

/** Error format of the login. */
function tokenFault(status: number, { form }: NetworkCall): Fault {
  if (status === 401) return { kind: 'permanent', why: 'config' }
  if (form?.grant_type === 'refresh_token') return { kind: 'token', remedy: 'reconnect' }
  return { kind: 'permanent', why: 'input' }
}

/** Status 200 with errors and nothing else is a rejection. */
const isEmptyPartial = ({ data, errors, meta }: { [key: string]: Json }) =>
  data === undefined && meta === undefined && Array.isArray(errors) && errors.length > 0

function problemIn(body: { [key: string]: Json }): Problem {
  const first = objectIn(Array.isArray(body.errors) ? body.errors[0] : undefined)
  const text = (...values: (Json | undefined)[]) => values.find((value) => typeof value === 'string' && value !== '')
  const detail = text(first.message, first.detail, body.detail, body.error_description)
  return {
    type: String(text(body.type, first.type) ?? '').split('/problems/')[1] ?? '',
    code: String(first.code ?? ''),
    message: String(text(detail, body.title, first.title, body.error) ?? ''),
    period: String(text(body.period) ?? ''),
    generic: detail === undefined || detail === body.title,
  }
}

/** The end of depleted credits isn't reported: an operator has to buy new ones. */
function periodEnd(period: string, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (period === 'Monthly') return new Date(Date.UTC(year, month + 1, 1))
  if (period === 'Daily') return new Date(Date.UTC(year, month, day + 1))
  return new Date(now.getTime() + hourMs)
}
