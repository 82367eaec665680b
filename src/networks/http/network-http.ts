import { randomUUID } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Uses } from '../connector/budget.ts'
import { type Fault, NetworkError, type Remote } from '../connector/connector.ts'
import type { MediaRef } from '../connector/draft.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Network } from '../manifests.ts'
import { type Json, readJson } from './json.ts'

/** A field's text, or a file's bytes. */
export type Part = string | { bytes: Uint8Array; mime: string; name: string }

function multipartBody(parts: { [name: string]: Part }): { type: string; bytes: Buffer } {
  const boundary = `chorus-${randomUUID()}`
  const chunks: Uint8Array[] = []
  for (const [name, part] of Object.entries(parts)) {
    const file = typeof part === 'string' ? undefined : part
    const heading = file ? `; filename="${file.name.replace(/["\r\n]/g, '_')}"\r\ncontent-type: ${file.mime}` : ''
    chunks.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${heading}\r\n\r\n`))
    chunks.push(typeof part === 'string' ? Buffer.from(part) : part.bytes, Buffer.from('\r\n'))
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(chunks) }
}

export interface NetworkCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Undefined values are omitted. */
  query?: { readonly [name: string]: string | number | undefined }
  headers?: { readonly [name: string]: string }
  json?: unknown
  form?: { readonly [name: string]: string | number | undefined }
  multipart?: { [name: string]: Part }
  bytes?: Uint8Array | { length: number; source: AsyncIterable<Uint8Array> }
  /** Can't be repeated or reverted: without a clear response the outcome is unknown. */
  irreversible?: boolean
  timeoutMs?: number
  /** The profile it is made for; undefined for requests of the app itself. */
  holder?: string | undefined
  /** Budget units it uses beside one call. */
  uses?: Uses
}

export interface NetworkResponse {
  status: number
  headers: Record<string, string>
  /** Undefined if it isn't JSON. */
  body: Json | undefined
  text: string
}

/** The fault of a rejected request; undefined if it succeeded, or if its status says enough. */
export interface Rejection {
  fault: Fault
  message: string
  remote?: Remote
  /** The exhausted budget, if the rejection is about one. */
  budget?: string
}

/** The endpoint of a request, without ids in the path. */
export const endpointOf = ({ method }: Pick<NetworkCall, 'method'>, url: URL) =>
  `${method} ${url.pathname.replace(/\/\d{3,}([-_]\d+)?(?=\/|$)/g, '/:id')}`

export type ResponseClassifier = (response: NetworkResponse, call: NetworkCall) => Rejection | undefined

export type NetworkHttp = (call: NetworkCall) => Promise<NetworkResponse>

/** The HTTP client of all connectors: known hosts only, no redirects, no retries, every failure a NetworkError. */
export function openNetworkHttp(
  network: Network,
  app: NetworkApp,
  installation: NetworkInstallation,
  classify: ResponseClassifier,
): NetworkHttp {
  const bases = Object.values(app.hosts).map((host) => new URL(host))
  return async (call) => {
    const url = new URL(call.url)
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    // Responses may contain URLs; a forged one must not receive our token.
    if (!bases.some((base) => isBelow(base, url))) {
      const sentence = `${network} named an address at ${url.host}, which is not one of its own; it was not called.`
      throw new NetworkError(network, { kind: 'permanent', why: 'config' }, sentence)
    }
    const { holder = '' } = call
    const uses = { calls: 1, ...call.uses }
    const endpoint = endpointOf(call, url)
    installation.meter?.admit({ holder, endpoint, uses })
    const response = await send(network, installation, call, url).finally(() =>
      // Rejected and lost requests count as well.
      installation.meter?.spent(holder, uses),
    )
    const failure = classify(response, call) ?? byStatus(response, call, installation.clock)
    if (!failure) return response
    // A throttled write says nothing about reads.
    if (failure.fault.kind === 'throttled' && call.method === 'GET') {
      const { scope, until } = failure.fault
      const of = { app: 'app', actor: holder, endpoint: failure.budget ?? `${holder} ${endpoint}` }[scope]
      installation.report?.({ network, scope, of, used: 1, until })
    }
    const remote = { status: response.status, ...failure.remote }
    throw new NetworkError(network, withUnknownOutcome(failure.fault, call), `${network}: ${failure.message}`, remote)
  }
}

/** A host may have a path, behind a proxy or in the sandbox; other paths there aren't ours. */
const isBelow = ({ origin, pathname }: URL, url: URL) =>
  url.origin === origin && `${url.pathname}/`.startsWith(pathname.endsWith('/') ? pathname : `${pathname}/`)

async function send(
  network: Network,
  { outbound, version }: NetworkInstallation,
  call: NetworkCall,
  url: URL,
): Promise<NetworkResponse> {
  const { method, irreversible, timeoutMs = 60_000 } = call
  const { type, ...content } = contentOf(call)
  const headers = {
    accept: 'application/json',
    'user-agent': version === undefined ? 'Chorus' : `Chorus/${version}`,
    ...(type && { 'content-type': type }),
    ...call.headers,
  }
  try {
    const request = { method, url: url.href, headers, ...content, timeoutMs, maximumBytes }
    const { status, headers: got, body } = await outbound.send(request)
    const text = body.toString('utf8')
    return { status, headers: got, text, body: readJson(text) }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const unknown = irreversible && error.sent
    const fault: Fault = unknown ? { kind: 'unknownOutcome' } : { kind: 'retryable' }
    throw new NetworkError(network, fault, error.message, {}, error)
  }
}

function contentOf({ json, form, multipart, bytes }: NetworkCall): {
  type?: string
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  bodyBytes?: number
} {
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) }
  if (form) {
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, String(value))
    return { type: 'application/x-www-form-urlencoded', body: body.toString() }
  }
  if (multipart) {
    const made = multipartBody(multipart)
    return { type: made.type, body: made.bytes }
  }
  if (bytes === undefined) return {}
  return bytes instanceof Uint8Array ? { body: bytes } : { body: bytes.source, bodyBytes: bytes.length }
}

/** Fault by HTTP status, where the network's own codes say nothing. */
function byStatus({ status, headers, text }: NetworkResponse, call: NetworkCall, clock: Clock): Rejection | undefined {
  if (status < 400) return undefined
  const message = `The network answered ${status}${text ? `: ${text.slice(0, 200)}` : ''}.`
  if (status === 429) {
    const until = retryAfter(headers['retry-after'], clock.now())
    return { fault: { kind: 'throttled', until, scope: 'endpoint' }, message }
  }
  if (status >= 500 || status === 408 || status === 425) {
    return { fault: call.irreversible ? { kind: 'unknownOutcome' } : { kind: 'retryable' }, message }
  }
  if (status === 401) return { fault: { kind: 'token', remedy: 'refresh' }, message }
  if (status === 404 || status === 410) return { fault: { kind: 'permanent', why: 'gone' }, message }
  return { fault: { kind: 'permanent', why: status === 403 ? 'permission' : 'input' }, message }
}

/** Seconds or a date; a minute if neither can be parsed. */
function retryAfter(text = '', now: Date): Date {
  if (/^\d{1,8}$/.test(text)) return new Date(now.getTime() + Number(text) * 1000)
  const date = new Date(text)
  return date > now ? date : new Date(now.getTime() + 60_000)
}

/** A server error may have occurred after the request took effect. */
const withUnknownOutcome = (fault: Fault, { irreversible }: NetworkCall): Fault =>
  irreversible && fault.kind === 'retryable' ? { kind: 'unknownOutcome' } : fault

const maximumBytes = 4 * 1024 * 1024

/** A range of a file in memory; for chunks and small files only. */
export async function readBytes(media: MediaRef, from = 0, to = media.bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of media.open(from, to)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length !== to - from)
    throw new Error(`Media ${media.id} has ${bytes.length} bytes where ${to - from} were expected.`)
  return bytes
}
