import {
  type Activity,
  type Actor,
  badInput,
  type Fault,
  NetworkError,
  type Page,
  type PermanentReason,
} from '../connector/connector.ts'
import type { NetworkInstallation, Usage } from '../connector/network-app.ts'
import { type Json, readJson } from '../http/json.ts'
import { type NetworkCall, type NetworkResponse, openNetworkHttp, type Rejection } from '../http/network-http.ts'
import { hmac } from '../http/signature.ts'
import type { Network } from '../manifests.ts'
import {
  at,
  type ErrorMeaning,
  type Graph,
  listAt,
  numberAt,
  permanent,
  reconnect,
  retryable,
  textAt,
  throttle,
} from './graph.ts'

/** A path below the version, or a full URL. */
export type GraphCall = Omit<NetworkCall, 'url'> & ({ path: string } | { url: string })

/** Token of a request, and the profile its rate limit applies to; login requests have none. */
export interface Caller {
  token?: string | undefined
  of: string
}

const asActor = ({ secret, remoteId }: Actor): Caller => ({ token: secret.accessToken, of: remoteId })

export const asApp = ({ app }: Graph): Caller => ({ token: `${app.clientId}|${app.clientSecret}`, of: '' })

/** Sends a request on behalf of a profile. */
export const request = (graph: Graph, actor: Actor, call: GraphCall): Promise<Json> =>
  requestAs(graph, asActor(actor), call)

export async function requestAs(graph: Graph, { token, of }: Caller, call: GraphCall): Promise<Json> {
  const { network, app, installation } = graph
  let received: Json | undefined
  const http = openNetworkHttp(network, app, installation, (response, sent) => {
    received = response.body
    reportUsage(graph, of, response)
    const refused = classifyGraph(graph, response, sent)
    return refused && { ...refused, message: withoutToken(refused.message, token) }
  })
  try {
    const response = await http({ ...call, holder: of, url: urlOf(graph, call), ...credentials(graph, token, call) })
    return response.body !== null && typeof response.body === 'object'
      ? response.body
      : unreadableResponse(graph, call.irreversible)
  } catch (error) {
    // A rejection may include data needed to continue, such as the offset of an upload.
    if (error instanceof NetworkError) error.cause ??= at(received, 'error', 'error_data')
    throw error
  }
}

/** A required field of a response; without it the outcome is unknown. */
export const requiredField = (graph: Graph, call: GraphCall, response: Json, name: string): string =>
  textAt(response, name) ?? unreadableResponse(graph, call.irreversible)

export function unreadableResponse({ network }: Graph, irreversible = false): never {
  const kind = irreversible ? 'unknownOutcome' : 'retryable'
  throw new NetworkError(network, { kind }, `${network} gave an answer that cannot be read.`)
}

const urlOf = ({ app }: Graph, call: GraphCall) =>
  'url' in call ? call.url : `${app.hosts.graph}/${app.apiVersion}/${call.path}`

function credentials({ app, hasProof }: Graph, token: string | undefined, { query, headers }: GraphCall) {
  if (token === undefined) return {}
  const appsecret_proof = hasProof ? hmac('sha256', app.clientSecret, 'hex', token) : undefined
  return { query: { ...query, appsecret_proof }, headers: { ...headers, authorization: `Bearer ${token}` } }
}

/** Meta repeats a malformed token in its error message. */
const withoutToken = (message: string, token: string | undefined) =>
  token === undefined ? message : message.replaceAll(token, '…')

/** The fault for an error in Meta's format; undefined for other responses. */
function classifyGraph(graph: Graph, response: NetworkResponse, call: NetworkCall): Rejection | undefined {
  const error = at(response.body, 'error')
  if (error === undefined || typeof error !== 'object') return classifyLogin(response)
  const code = numberAt(error, 'code')
  const subcode = numberAt(error, 'error_subcode')
  const meaning = isRejectedApp(code, call)
    ? permanent('config')
    : (meaningOf(graph, code, subcode) ?? unlisted(response.status, error))
  return {
    fault: faultOf(graph.installation, meaning, response),
    message: messageOf(error) ?? `The network refused this with the code ${code ?? response.status}.`,
    remote: {
      code: code === undefined ? undefined : String(code),
      subcode: subcode === undefined ? undefined : String(subcode),
      requestId: textAt(error, 'fbtrace_id'),
    },
  }
}

/** Meaning of a code; some of the long numbers come as code or as subcode. */
export function meaningOf(
  { errorMeanings }: Graph,
  code: number | undefined,
  subcode?: number,
): ErrorMeaning | undefined {
  const find = (name: 'codes' | 'subcodes', value: number | undefined) =>
    value === undefined ? undefined : errorMeanings.find((row) => row[name]?.includes(value))?.meaning
  return find('subcodes', subcode) ?? find('codes', code) ?? (code !== 33 ? find('subcodes', code) : undefined)
}

/** Whether the network rejected it permanently for one of these reasons. */
export const isPermanentError = (error: unknown, ...reasons: PermanentReason[]): error is NetworkError =>
  error instanceof NetworkError && error.fault.kind === 'permanent' && reasons.includes(error.fault.why)

/** Codes missing in the table. */
function unlisted(status: number, error: Json): ErrorMeaning {
  if (at(error, 'is_transient') === true || status >= 500) return retryable
  if (status === 429) return throttle('endpoint')
  if (status === 401) return reconnect
  return permanent(status === 403 ? 'permission' : status === 404 ? 'gone' : 'input')
}

function faultOf(installation: NetworkInstallation, meaning: ErrorMeaning, response: NetworkResponse): Fault {
  if (meaning.kind !== 'throttled') return meaning
  const { scope, hours } = meaning
  const regained = hours === undefined ? retryAt(installation, response) : undefined
  return {
    kind: 'throttled',
    scope,
    until: regained ?? new Date(installation.clock.now().getTime() + (hours ?? 1) * hour),
  }
}

/** Prefers the user-facing message; the number in front of the others is dropped. */
function messageOf(error: Json): string | undefined {
  return (textAt(error, 'error_user_msg') ?? textAt(error, 'message'))?.replace(/^\(#-?\d+\)\s*/, '')
}

/** On the token endpoint, a code that otherwise means a temporary error says that the app secret is wrong. */
const isRejectedApp = (code: number | undefined, { url }: NetworkCall) => code === 1 && /access_token$/.test(url)

/** Instagram's own login has its own error format. */
function classifyLogin({ status, body }: NetworkResponse): Rejection | undefined {
  const message = textAt(body, 'error_message')
  if (message === undefined || status < 400 || status >= 500) return undefined
  return { fault: { kind: 'permanent', why: 'input' }, message, remote: { code: textAt(body, 'code') } }
}

const hour = 3_600_000

/** Reports the usage of Meta's rate limits from the response headers. */
function reportUsage({ network, app, installation }: Graph, of: string, { headers }: NetworkResponse) {
  const report = (usage: Omit<Usage, 'network'>) => installation.report?.({ network, ...usage })
  const percent = (value: ReturnType<typeof readJson>) =>
    Math.max(...['call_count', 'total_time', 'total_cputime'].map((name) => numberAt(value, name) ?? 0)) / 100
  const forApp = readJson(headers['x-app-usage'] ?? '')
  if (forApp !== undefined) report({ scope: 'app', of: app.clientId, used: percent(forApp) })
  const forPage = readJson(headers['x-page-usage'] ?? '')
  if (forPage !== undefined && of !== '') report({ scope: 'actor', of, used: percent(forPage) })
  for (const [id, row] of businessRows(headers)) {
    const minutes = numberAt(row, regain) ?? 0
    const until = minutes > 0 ? inMinutes(installation, minutes) : undefined
    report({ scope: 'actor', of: id, used: percent(row), until })
  }
}

/** When a throttled caller may retry, if reported. */
function retryAt(installation: NetworkInstallation, { headers }: NetworkResponse): Date | undefined {
  const minutes = Math.max(0, ...businessRows(headers).map(([, row]) => numberAt(row, regain) ?? 0))
  return minutes > 0 ? inMinutes(installation, minutes) : undefined
}

const regain = 'estimated_time_to_regain_access'

function businessRows(headers: NetworkResponse['headers']) {
  const rows = readJson(headers['x-business-use-case-usage'] ?? '')
  if (rows === null || typeof rows !== 'object' || Array.isArray(rows)) return []
  return Object.keys(rows).flatMap((id) => listAt(rows, id).map((row) => [id, at(row)] as const))
}

const inMinutes = ({ clock }: NetworkInstallation, minutes: number) =>
  new Date(clock.now().getTime() + minutes * 60_000)

/** Cursor of the next page. */
export const nextOf = (response: Json): string | undefined =>
  at(response, 'paging', 'next') === undefined ? undefined : textAt(response, 'paging', 'cursors', 'after')

export interface List {
  path: string
  fields: string
  query?: { readonly [name: string]: string | number | undefined }
}

export async function readList(
  graph: Graph,
  actor: Actor,
  { path, fields, query }: List,
  read: (row: Json) => Activity[],
  after?: string,
): Promise<Page<Activity>> {
  const response = await request(graph, actor, { method: 'GET', path, query: { limit: 25, ...query, fields, after } })
  return { items: listAt(response, 'data').flatMap(read), cursor: nextOf(response) }
}

type Reader = (after?: string) => Promise<Page<Activity>>

/** Pages through several lists at once: every page reads each unfinished list and is sorted newest first. */
export async function readSeveral(
  network: Network,
  readers: { [name: string]: Reader },
  cursor?: string,
): Promise<Page<Activity>> {
  const positions = cursor === undefined ? undefined : readCursor(network, cursor)
  const names = Object.keys(readers).filter((name) => !positions || at(positions, name) !== undefined)
  const pages = await Promise.all(names.map((name) => readers[name]?.(textAt(positions, name))))
  const next = names.flatMap((name, index) => {
    const position = pages[index]?.cursor
    return position === undefined ? [] : [[name, position] as const]
  })
  const items = pages.flatMap((page) => page?.items ?? []).sort((one, other) => other.at.getTime() - one.at.getTime())
  return { items, cursor: next.length ? writeCursor(next) : undefined }
}

const writeCursor = (positions: (readonly [string, string])[]) =>
  Buffer.from(JSON.stringify(Object.fromEntries(positions))).toString('base64url')

function readCursor(network: Network, cursor: string): Json {
  const positions = readJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (positions === undefined || typeof positions !== 'object')
    throw badInput(network, 'This cursor cannot be read.', 'cursor')
  return positions
}
