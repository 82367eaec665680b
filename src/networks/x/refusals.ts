import type { Fault, PermanentReason, Remote } from '../connector/fault.ts'
import type { NetworkInstallation, Usage } from '../connector/network-app.ts'
import type { Json } from '../wire/json.ts'
import { endpointOf, type NetworkAnswer, type NetworkCall, type Refused } from '../wire/network-http.ts'
import { objectIn } from './answers.ts'
import { replyRule } from './manifest.ts'

type Headers = NetworkAnswer['headers']

/** Who has to wait when nothing is left of an allowance. */
const allowances = [
  { prefix: 'x-app-limit-24hour', scope: 'app' },
  { prefix: 'x-user-limit-24hour', scope: 'actor' },
  { prefix: 'x-rate-limit', scope: 'endpoint' },
] as const

const fallbackMs = 900_000

/** Tells how much is used up, after every answer that says so. X counts each endpoint by itself, for the app or for each user. */
export function reportUsage(
  installation: NetworkInstallation,
  who: string,
  { headers }: NetworkAnswer,
  call: NetworkCall,
) {
  for (const { prefix, scope } of allowances) {
    const [limit, remaining] = [numberIn(headers, `${prefix}-limit`), numberIn(headers, `${prefix}-remaining`)]
    if (!limit || remaining === undefined) continue
    const of = `${scope === 'app' ? 'app' : who} ${endpointOf(call)}`
    const usage: Usage = { network: 'Twitter', scope: 'endpoint', of, used: 1 - remaining / limit }
    installation.report?.({ ...usage, until: endOf(headers, prefix) })
  }
}

/** When the allowance that is spent starts anew, the longest first. */
function resetAt(headers: Headers, now: Date): { until: Date; scope: Usage['scope'] } {
  const spent = allowances.find(({ prefix }) => numberIn(headers, `${prefix}-remaining`) === 0)
  const until = endOf(headers, spent?.prefix ?? 'x-rate-limit')
  return { until: until ?? new Date(now.getTime() + fallbackMs), scope: spent?.scope ?? 'endpoint' }
}

function endOf(headers: Headers, prefix: string): Date | undefined {
  const seconds = numberIn(headers, `${prefix}-reset`)
  return seconds === undefined ? undefined : new Date(seconds * 1000)
}

function numberIn(headers: Headers, name: string): number | undefined {
  const value = Number(headers[name] ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** X has no code for it: the words are all there is to tell it by. */
const duplicatePhrase = 'You are not allowed to create a Tweet with duplicate content.'
const mediaPhrase = 'Your media IDs are invalid.'
/** What X says of media that is still being worked on, or forgotten. */
export const mediaRefused = 'media'

/** By the last part of a problem's `type`, whatever the status. */
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

/** What X means by an answer; nothing when it is none of its refusals. */
export function refusalOf(answer: NetworkAnswer, call: NetworkCall, now: Date): Refused | undefined {
  const body = objectIn(answer.body)
  if (answer.status < 400 && !isEmptyPartial(body)) return undefined
  const problem = problemIn(body)
  const fault = faultOf(answer, call, body, problem, now)
  if (!fault) return undefined
  const requestId = answer.headers['x-transaction-id']
  const code = problem.message === mediaPhrase ? mediaRefused : problem.code || problem.type || undefined
  const remote: Remote = { status: answer.status, code, requestId }
  const said = problem.message || `The network answered ${answer.status}.`
  const isRefusedReply = answer.status === 403 && fault.kind === 'permanent' && 'reply' in Object(call.json)
  return { fault, message: isRefusedReply ? `${said} ${replyRule}` : said, remote }
}

function faultOf(
  { status, headers }: NetworkAnswer,
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

/** Without a type X says either nothing but "Forbidden", when a scope is missing, or why the content may not be. */
const forbidden = ({ generic }: Problem): PermanentReason => (generic ? 'permission' : 'policy')

/** The login's own form of refusals. */
function tokenFault(status: number, { form }: NetworkCall): Fault {
  if (status === 401) return { kind: 'permanent', why: 'config' }
  if (form?.grant_type === 'refresh_token') return { kind: 'token', remedy: 'reconnect' }
  return { kind: 'permanent', why: 'input' }
}

/** A good status with errors and nothing else is a refusal all the same. */
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

/** Nobody tells when credits come back: a person has to buy them. */
function periodEnd(period: string, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (period === 'Monthly') return new Date(Date.UTC(year, month + 1, 1))
  if (period === 'Daily') return new Date(Date.UTC(year, month, day + 1))
  return new Date(now.getTime() + hourMs)
}
