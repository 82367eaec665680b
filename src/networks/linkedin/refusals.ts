import type { Clock } from '#kernel/clock.ts'
import type { Fault } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import type { Judge, NetworkAnswer } from '../wire/network-http.ts'
import { at, listAt, textAt } from './fields.ts'

/** The network's own codes; what is not here is judged by its status. */
const codes: { readonly [code: string]: Fault } = {
  // A new token helps when we hold the means for one; `calls.ts` knows whether we do.
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

/** Refusals of a post whose pictures or video are not there yet. */
export const notReadyCodes: readonly string[] = ['MEDIA_ASSET_PROCESSING', 'MEDIA_ASSET_WAITING_UPLOAD']

/** 65601 is also said of tokens that are only some seconds old and good. */
export const revokedCode = '65601'

export function linkedInJudge(clock: Clock): Judge {
  return (answer, call) => {
    const { status, body, headers } = answer
    if (status < 400) return undefined
    const [code, subcode] = codesOf(body)
    const remote = { code, subcode, requestId: headers['x-li-request-id'] ?? headers['x-li-uuid'] }
    const fault = faultOf(answer, clock)
    if (status !== 426) return { fault, message: sentenceOf(answer), remote }
    const version = call.headers?.['linkedin-version']
    const message = `Version ${version} of the interface is not served any more; raise CHORUS_LINKEDIN_API_VERSION.`
    return { fault, message, remote }
  }
}

function faultOf({ status, body }: NetworkAnswer, clock: Clock): Fault {
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
  const told = `${textAt(firstError(body), 'description')} ${textAt(body, 'message')}`
  const of = /urn:li:(?:share|ugcPost|activity):\d+/.exec(told)?.[0]
  return { kind: 'duplicate', ...(of !== undefined && { of }) }
}

/** Daily quotas start anew at midnight UTC; everything else is a burst. */
function throttled(message: string, clock: Clock): Fault {
  const now = clock.now().getTime()
  const daily = /throttle|\bday\b|daily/i.test(message)
  const until = new Date(daily ? (Math.floor(now / day) + 1) * day : now + minute)
  const scope = /application/i.test(message) ? 'app' : /member/i.test(message) ? 'actor' : 'endpoint'
  return { kind: 'throttled', until, scope }
}

/** The most telling one first. */
function codesOf(body: Json | undefined): string[] {
  const told = [
    textAt(firstError(body), 'code'),
    textAt(body, 'serviceErrorCode'),
    textAt(body, 'code'),
    textAt(body, 'error'),
  ]
  return told.filter((code) => code !== undefined)
}

function sentenceOf({ status, body }: NetworkAnswer): string {
  const own =
    textAt(firstError(body), 'description') ?? textAt(body, 'message') ?? textAt(body, 'error_description') ?? ''
  const words = own.replace(/^(?:[\w$]+\.)+\w+:\s*/, '').trim()
  return words && !/^[{[]/.test(words) ? words.slice(0, 500) : `The network answered ${status}.`
}

const firstError = (body: Json | undefined) => listAt(at(body, 'errorDetails'), 'inputErrors')[0]

const minute = 60_000
const day = 86_400_000
