import { OutboundFailure } from './failure.ts'
import type { PaceRule } from './pace.ts'

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  /** What is too large for memory is given piece by piece, with its length. */
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  bodyBytes?: number
  /** For the whole exchange, from the first name asked to the last byte read; 15 seconds unless told. */
  timeoutMs?: number
  /** Of the answer's body: `send` reads no further (16 KiB unless told), `stream` fails (no limit unless told). */
  maximumBytes?: number
  /** How many redirects are followed, each checked like the first URL; none unless told. */
  redirects?: number
  signal?: AbortSignal
  /** Of `stream`: how slow the other side may be; 16 KiB a second over half a minute unless told. */
  pace?: PaceRule
}

/** The headers that go out; those that decide where and how a message ends are not the caller's to set. */
export function outgoingHeaders({ headers = {}, bodyBytes }: OutboundRequest): Record<string, string> {
  const sent: Record<string, string> = { 'accept-encoding': 'identity' }
  if (bodyBytes !== undefined) sent['content-length'] = String(bodyBytes)
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (reservedHeaders.has(lower)) throw new OutboundFailure('protocol', `The header ${name} cannot be set.`)
    if (lower !== 'accept-encoding') sent[name] = value
  }
  return sent
}

/** The request that follows a redirect. */
export function nextRequest(request: OutboundRequest, from: URL, to: URL, status: number): OutboundRequest {
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new OutboundFailure('protocol', `${from.host} redirects to an address without encryption.`)
  }
  const headers = Object.entries(request.headers ?? {})
  // Another origin must not see signatures and keys meant for the first.
  const kept = from.origin === to.origin ? headers : headers.filter(([name]) => harmless.has(name.toLowerCase()))
  const next = { ...request, url: to.href, headers: Object.fromEntries(kept) }
  if (!becomesGet(request.method, status)) return next
  const { body: _dropped, bodyBytes: _length, ...bodiless } = next
  const aboutBody = (name: string) => name.toLowerCase().startsWith('content-')
  return { ...bodiless, method: 'GET', headers: Object.fromEntries(kept.filter(([name]) => !aboutBody(name))) }
}

export const isRedirect = (status: number) => redirectStatuses.has(status)

const reservedHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const harmless = new Set(['accept', 'accept-language', 'content-type', 'if-range', 'range', 'user-agent'])

const redirectStatuses = new Set([301, 302, 303, 307, 308])

// What browsers do: only 307 and 308 keep the method of a form.
const becomesGet = (method: string, status: number) =>
  method !== 'GET' && method !== 'HEAD' && (status === 303 || ((status === 301 || status === 302) && method === 'POST'))
