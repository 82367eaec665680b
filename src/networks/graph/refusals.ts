import { type Fault, NetworkError, type PermanentReason } from '../connector/fault.ts'
import type { NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../wire/json.ts'
import type { NetworkAnswer, NetworkCall, Refused } from '../wire/network-call.ts'
import { at, numberAt, textAt } from './answer.ts'
import type { Graph } from './graph.ts'
import { type Meaning, never, reconnect, retryable, wait } from './meanings.ts'
import { regainedAt } from './usage.ts'

/** What a refusal in Meta's envelope means; nothing when the answer is none. */
export function judgeGraph(graph: Graph, answer: NetworkAnswer, call: NetworkCall): Refused | undefined {
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
