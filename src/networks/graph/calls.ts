import type { Actor } from '../connector/actor.ts'
import { type Fault, NetworkError, type PermanentReason } from '../connector/fault.ts'
import type { NetworkInstallation, Usage } from '../connector/network-app.ts'
import { type Json, readJson } from '../wire/json.ts'
import { type NetworkAnswer, type NetworkCall, openNetworkHttp, type Refused } from '../wire/network-http.ts'
import { hmac } from '../wire/signature.ts'
import { at, type Graph, listAt, type Meaning, never, numberAt, reconnect, retryable, textAt, wait } from './graph.ts'

/** A path below the version, or a whole address. */
export type GraphCall = Omit<NetworkCall, 'url'> & ({ path: string } | { url: string })

/** Whose token a call carries, and for whom its allowance counts; login calls carry none. */
export interface Caller {
  token?: string | undefined
  of: string
}

const asActor = ({ secret, remoteId }: Actor): Caller => ({ token: secret.accessToken, of: remoteId })

export const asApp = ({ app }: Graph): Caller => ({ token: `${app.clientId}|${app.clientSecret}`, of: '' })

/** Makes a call in a profile's name and gives the answer. */
export const ask = (graph: Graph, actor: Actor, call: GraphCall): Promise<Json> => askAs(graph, asActor(actor), call)

export async function askAs(graph: Graph, { token, of }: Caller, call: GraphCall): Promise<Json> {
  const { network, app, installation } = graph
  let heard: Json | undefined
  const http = openNetworkHttp(network, app, installation, (answer, sent) => {
    heard = answer.body
    reportUsage(graph, of, answer)
    const refused = judgeGraph(graph, answer, sent)
    return refused && { ...refused, message: withoutToken(refused.message, token) }
  })
  try {
    const answer = await http({ ...call, holder: of, url: addressOf(graph, call), ...credentials(graph, token, call) })
    return answer.body !== null && typeof answer.body === 'object' ? answer.body : unreadable(graph, call.irreversible)
  } catch (error) {
    // A refusal may carry what is needed to go on, such as the offset an upload has reached.
    if (error instanceof NetworkError) error.cause ??= at(heard, 'error', 'error_data')
    throw error
  }
}

/** What an answer must say; without it nobody knows what happened. */
export const needed = (graph: Graph, call: GraphCall, answer: Json, name: string): string =>
  textAt(answer, name) ?? unreadable(graph, call.irreversible)

export function unreadable({ network }: Graph, irreversible = false): never {
  const kind = irreversible ? 'unknownOutcome' : 'retryable'
  throw new NetworkError(network, { kind }, `${network} gave an answer that cannot be read.`)
}

const addressOf = ({ app }: Graph, call: GraphCall) =>
  'url' in call ? call.url : `${app.hosts.graph}/${app.apiVersion}/${call.path}`

function credentials({ app, hasProof }: Graph, token: string | undefined, { query, headers }: GraphCall) {
  if (token === undefined) return {}
  const appsecret_proof = hasProof ? hmac('sha256', app.clientSecret, 'hex', token) : undefined
  return { query: { ...query, appsecret_proof }, headers: { ...headers, authorization: `Bearer ${token}` } }
}

/** Meta repeats a malformed token in its complaint about it. */
const withoutToken = (message: string, token: string | undefined) =>
  token === undefined ? message : message.replaceAll(token, '…')

/** What a refusal in Meta's envelope means; nothing when the answer is none. */
function judgeGraph(graph: Graph, answer: NetworkAnswer, call: NetworkCall): Refused | undefined {
  const error = at(answer.body, 'error')
  if (error === undefined || typeof error !== 'object') return judgeLogin(answer)
  const code = numberAt(error, 'code')
  const subcode = numberAt(error, 'error_subcode')
  const meaning = isRefusedApp(code, call)
    ? never('config')
    : (meaningOf(graph, code, subcode) ?? unlisted(answer.status, error))
  return {
    fault: faultOf(graph.installation, meaning, answer),
    message: wordsOf(error) ?? `The network refused this with the code ${code ?? answer.status}.`,
    remote: {
      code: code === undefined ? undefined : String(code),
      subcode: subcode === undefined ? undefined : String(subcode),
      requestId: textAt(error, 'fbtrace_id'),
    },
  }
}

/** What a code stands for; some of the long numbers come as code or as subcode. */
export function meaningOf({ meanings }: Graph, code: number | undefined, subcode?: number): Meaning | undefined {
  const find = (name: 'codes' | 'subcodes', wanted: number | undefined) =>
    wanted === undefined ? undefined : meanings.find((row) => row[name]?.includes(wanted))?.meaning
  return find('subcodes', subcode) ?? find('codes', code) ?? (code !== 33 ? find('subcodes', code) : undefined)
}

/** Whether the network refused for good, and for one of these reasons. */
export const isNever = (error: unknown, ...reasons: PermanentReason[]): error is NetworkError =>
  error instanceof NetworkError && error.fault.kind === 'permanent' && reasons.includes(error.fault.why)

/** Codes that no table knows. */
function unlisted(status: number, error: Json): Meaning {
  if (at(error, 'is_transient') === true || status >= 500) return retryable
  if (status === 429) return wait('endpoint')
  if (status === 401) return reconnect
  return never(status === 403 ? 'permission' : status === 404 ? 'gone' : 'input')
}

function faultOf(installation: NetworkInstallation, meaning: Meaning, answer: NetworkAnswer): Fault {
  if (meaning.kind !== 'throttled') return meaning
  const { scope, hours } = meaning
  const regained = hours === undefined ? regainedAt(installation, answer) : undefined
  return {
    kind: 'throttled',
    scope,
    until: regained ?? new Date(installation.clock.now().getTime() + (hours ?? 1) * hour),
  }
}

/** The words meant for people come first; the number before the others says nothing to them. */
function wordsOf(error: Json): string | undefined {
  return (textAt(error, 'error_user_msg') ?? textAt(error, 'message'))?.replace(/^\(#-?\d+\)\s*/, '')
}

/** Where tokens are given out, the code that elsewhere means trouble says that the app's own secret is wrong. */
const isRefusedApp = (code: number | undefined, { url }: NetworkCall) => code === 1 && /access_token$/.test(url)

/** Instagram's own login has an envelope of its own. */
function judgeLogin({ status, body }: NetworkAnswer): Refused | undefined {
  const message = textAt(body, 'error_message')
  if (message === undefined || status < 400 || status >= 500) return undefined
  return { fault: { kind: 'permanent', why: 'input' }, message, remote: { code: textAt(body, 'code') } }
}

const hour = 3_600_000

/** Tells how much of Meta's allowances is used up, as the headers of an answer say. */
function reportUsage({ network, app, installation }: Graph, of: string, { headers }: NetworkAnswer) {
  const tell = (usage: Omit<Usage, 'network'>) => installation.report?.({ network, ...usage })
  const percent = (value: ReturnType<typeof readJson>) =>
    Math.max(...['call_count', 'total_time', 'total_cputime'].map((name) => numberAt(value, name) ?? 0)) / 100
  const forApp = readJson(headers['x-app-usage'] ?? '')
  if (forApp !== undefined) tell({ scope: 'app', of: app.clientId, used: percent(forApp) })
  const forPage = readJson(headers['x-page-usage'] ?? '')
  if (forPage !== undefined && of !== '') tell({ scope: 'actor', of, used: percent(forPage) })
  for (const [id, row] of businessRows(headers)) {
    const minutes = numberAt(row, regain) ?? 0
    const until = minutes > 0 ? inMinutes(installation, minutes) : undefined
    tell({ scope: 'actor', of: id, used: percent(row), until })
  }
}

/** When a refused caller may come back, where the network says so. */
function regainedAt(installation: NetworkInstallation, { headers }: NetworkAnswer): Date | undefined {
  const minutes = Math.max(0, ...businessRows(headers).map(([, row]) => numberAt(row, regain) ?? 0))
  return minutes > 0 ? inMinutes(installation, minutes) : undefined
}

const regain = 'estimated_time_to_regain_access'

function businessRows(headers: NetworkAnswer['headers']) {
  const rows = readJson(headers['x-business-use-case-usage'] ?? '')
  if (rows === null || typeof rows !== 'object' || Array.isArray(rows)) return []
  return Object.keys(rows).flatMap((id) => listAt(rows, id).map((row) => [id, at(row)] as const))
}

const inMinutes = ({ clock }: NetworkInstallation, minutes: number) =>
  new Date(clock.now().getTime() + minutes * 60_000)
