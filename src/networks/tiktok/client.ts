import type { Clock } from '#kernel/clock.ts'
import { type Actor, type Fault, NetworkError, type PermanentReason } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'
import { type NetworkCall, openNetworkHttp, type Part, type ResponseClassifier } from '../http/network-http.ts'

type Query = { readonly [name: string]: string | number | undefined }

/** Client of TikTok's business API. Every result is the `data` of its envelope. */
export interface TikTokClient {
  readonly app: NetworkApp
  readonly clock: Clock
  get(actor: Actor, path: string, query: Query): Promise<Row>
  post(actor: Actor, path: string, json: object, irreversible?: boolean): Promise<Row>
  /** A multipart request with a file. */
  send(actor: Actor, path: string, parts: { [name: string]: Part }): Promise<Row>
  /** Authenticated as the app, by credentials in the body. */
  asApp(path: string, json: object): Promise<Row>
  /** The same for GET requests. */
  getAsApp(path: string, query: Query): Promise<Row>
}

export function openClient(app: NetworkApp, installation: NetworkInstallation): TikTokClient {
  const http = openNetworkHttp('TikTok', app, installation, classify(installation.clock))
  const base = `${app.hosts.business}/open_api/${app.apiVersion}`
  const request = async (path: string, call: Omit<NetworkCall, 'url'>): Promise<Row> => {
    const { body } = await http({ ...call, url: `${base}/${path}/` })
    return isRow(body) && isRow(body.data) ? body.data : {}
  }
  return {
    app,
    clock: installation.clock,
    get: (actor, path, query) =>
      request(path, {
        method: 'GET',
        holder: actor.remoteId,
        headers: by(actor),
        query: { business_id: actor.remoteId, ...query },
      }),
    post: (actor, path, json, irreversible = false) =>
      request(path, {
        method: 'POST',
        headers: by(actor),
        json: { business_id: actor.remoteId, ...json },
        irreversible,
      }),
    send: (actor, path, parts) =>
      request(path, { method: 'POST', headers: by(actor), multipart: { business_id: actor.remoteId, ...parts } }),
    asApp: (path, json) => request(path, { method: 'POST', json }),
    getAsApp: (path, query) => request(path, { method: 'GET', query }),
  }
}

const by = ({ secret }: Actor) => ({ 'access-token': secret.accessToken })

/** An object in a response. */
export type Row = { [name: string]: Json }

export const isRow = (value: Json | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const rowsIn = (row: Row, name: string): Row[] => {
  const list = row[name]
  return Array.isArray(list) ? list.filter(isRow) : []
}

/** Ids come as strings or numbers; undefined if missing. */
export function textIn(row: Row, name: string): string | undefined {
  const value = row[name]
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberIn(row: Row, name: string): number | undefined {
  const value = Number(textIn(row, name) ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** Seconds in responses, milliseconds in some pushes. */
export function timeIn(row: Row, name: string): Date | undefined {
  const value = numberIn(row, name)
  if (value === undefined) return undefined
  return new Date(value > secondsOfTheYear5000 ? value : value * 1000)
}

const secondsOfTheYear5000 = 95_617_584_000

/** Faults by TikTok's codes. */
const faults: { readonly [code: string]: Fault | 'throttled' } = {
  40001: { kind: 'permanent', why: 'permission' },
  40002: { kind: 'permanent', why: 'input' },
  40016: 'throttled',
  40050: { kind: 'duplicate' },
  40100: 'throttled',
  40102: { kind: 'token', remedy: 'refresh' },
  40103: { kind: 'token', remedy: 'reconnect' },
  40104: { kind: 'token', remedy: 'refresh' },
  40105: { kind: 'token', remedy: 'refresh' },
  40107: { kind: 'token', remedy: 'reconnect' },
  40110: { kind: 'token', remedy: 'reconnect' },
  40113: { kind: 'permanent', why: 'config' },
  // From secondary sources: a field or endpoint that wasn't granted.
  40130: { kind: 'permanent', why: 'permission' },
  40133: 'throttled',
  51065: { kind: 'retryable' },
}

/** Every response has status 200; the code inside decides. */
const classify =
  (clock: Clock): ResponseClassifier =>
  ({ status, body }, call) => {
    const code = isRow(body) ? textIn(body, 'code') : undefined
    if (!isRow(body) || code === undefined) {
      // A gateway's error page says nothing about the outcome.
      return status < 400 ? { fault: { kind: 'retryable' }, message: 'The answer was not understood.' } : undefined
    }
    if (code === '0') return undefined
    const message = textIn(body, 'message') ?? `The request was refused with code ${code}.`
    const fault = faults[code] ?? byKind(code)
    const effectiveFault = fault === 'throttled' ? throttled(message, clock.now()) : fault
    const remote = { code, requestId: textIn(body, 'request_id') }
    return { fault: call.headers ? effectiveFault : ofApp(effectiveFault), message, remote }
  }

/** Why an accepted publish request did not result in a post. */
export const failures: { readonly [reason: string]: { fault: Fault | 'again' | 'tomorrow'; sentence: string } } = {
  video_pull_failed: { fault: 'again', sentence: 'the video could not be fetched from its address' },
  photo_pull_failed: { fault: 'again', sentence: 'a picture could not be fetched from its address' },
  internal: { fault: 'again', sentence: 'something went wrong at TikTok' },
  file_format_check_failed: media('the file has a format TikTok does not take'),
  duration_check_failed: media('the video is too short or too long'),
  frame_rate_check_failed: media('the video needs 23 to 60 pictures per second'),
  picture_size_check_failed: media('the picture is too small or too large'),
  auth_removed: { fault: { kind: 'token', remedy: 'reconnect' }, sentence: 'the account has withdrawn its permission' },
  spam_risk_too_many_posts: { fault: 'tomorrow', sentence: 'the account has published too much in one day' },
  spam_risk_user_banned_from_posting: policy('the account may not publish at the moment'),
  spam_risk_text: policy('TikTok takes the text for spam'),
  spam_risk: policy('TikTok takes the post for spam'),
  publish_cancelled: policy('publishing was cancelled'),
  sent_to_inbox: policy('it is a draft in the inbox of the account; finish it in the TikTok app'),
}

function media(sentence: string) {
  return { fault: { kind: 'permanent', why: 'input', field: 'media' }, sentence } as const
}

function policy(sentence: string) {
  return { fault: { kind: 'permanent', why: 'policy' }, sentence } as const
}

const byKind = (code: string): Fault =>
  code.startsWith('4') ? { kind: 'permanent', why: 'input' } : { kind: 'retryable' }

/** A rejected app is a configuration error; a token that can't be refreshed needs a reconnect. */
function ofApp(fault: Fault): Fault {
  if (fault.kind === 'token') return { kind: 'token', remedy: 'reconnect' }
  return fault.kind === 'permanent' && fault.why === 'permission' ? { kind: 'permanent', why: 'config' } : fault
}

export const isBadInput = (error: unknown) => isPermanent(error, 'input')

/** A field or endpoint without the required permission. */
export const isForbidden = (error: unknown) => isPermanent(error, 'permission')

const isPermanent = (error: unknown, why: PermanentReason) =>
  error instanceof NetworkError && error.fault.kind === 'permanent' && error.fault.why === why

/** There are no headers; the message names the limit: per second, minute or day. */
function throttled(message: string, now: Date): Fault {
  const time = now.getTime()
  if (/qpd/i.test(message)) {
    const midnight = new Date(Math.floor(time / day) * day + day)
    return { kind: 'throttled', until: midnight, scope: 'app' }
  }
  if (/qps/i.test(message)) return { kind: 'throttled', until: new Date(time + 1000), scope: 'app' }
  const wait = /qpm/i.test(message) ? 5 * 60_000 : 60_000
  return { kind: 'throttled', until: new Date(time + wait), scope: 'actor' }
}

export const day = 86_400_000
