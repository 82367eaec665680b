import type { Actor } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import type { NetworkCall } from '../wire/network-call.ts'
import { openNetworkHttp } from '../wire/network-http.ts'
import { hmac } from '../wire/signature.ts'
import { at, textAt } from './answer.ts'
import type { Graph } from './graph.ts'
import { judgeGraph } from './refusals.ts'
import { reportUsage } from './usage.ts'

/** A path below the version, or a whole address. */
export type GraphCall = Omit<NetworkCall, 'url'> & ({ path: string } | { url: string })

/** Whose token a call carries, and for whom its allowance counts; login calls carry none. */
export interface Caller {
  token?: string | undefined
  of: string
}

export const asActor = ({ secret, remoteId }: Actor): Caller => ({ token: secret.accessToken, of: remoteId })

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
