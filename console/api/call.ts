import { type RefusalKind, statusCodes } from '#kernel/errors.ts'
import type { ConsoleCalls, ContractCalls } from '#main/wire-types.ts'
import { createStore, useStore } from '@/store.ts'
import { now } from '@/time/days.ts'

type Calls = { [R in keyof ContractCalls as `v2 ${R}`]: ContractCalls[R] } & ConsoleCalls

/** An operation as declared on the server. Contract operations carry a `v2` prefix: `v2 POST /campaign/{id}`. */
export type Route = keyof Calls
export type Params<R extends Route> = Calls[R]['sent']
export type Body<R extends Route> = Calls[R]['body']

export interface CallOptions {
  signal?: AbortSignal
  /** Idempotency key of a POST that started before the page was loaded, so that it takes effect only once. */
  key?: string
  /** ETag of the version being changed. The request fails with `changed` if the entity was modified since. */
  ifMatch?: string | undefined
}

type Rest<R extends Route> =
  Record<never, never> extends Params<R> ? [sent?: Params<R>, how?: CallOptions] : [sent: Params<R>, how?: CallOptions]

/** `lost`: it is unknown whether the request took effect. `fault`: server error. */
export type ErrorKind = RefusalKind | 'lost' | 'fault'

/** A failed call, with the error message of the server. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly kind: ErrorKind
  /** 0 if there was no response. */
  readonly status: number
  /** Request id for finding the call in the server log. */
  readonly requestId: string
  /** Seconds until a retry may succeed. */
  readonly retryAfter: number | undefined
  /** Error messages of a batch request, by item. */
  readonly parts: { readonly [item: string]: string }

  constructor(
    message: string,
    about: {
      kind: ErrorKind
      status?: number
      requestId?: string
      retryAfter?: number
      itemErrors?: { [item: string]: string }
    },
  ) {
    super(message)
    this.kind = about.kind
    this.status = about.status ?? 0
    this.requestId = about.requestId ?? ''
    this.retryAfter = about.retryAfter
    this.parts = about.itemErrors ?? {}
  }
}

/**
 * Calls the server. Parameters and response are typed by the operation's declaration. Throws an ApiError, or the abort reason of the
 * signal.
 */
export async function call<R extends Route>(route: R, ...[sent, options = {}]: Rest<R>): Promise<Body<R>> {
  const request = buildRequest(route, { ...sent }, options)
  for (let attempt = 0; ; attempt++) {
    const signInsBefore = signIns
    const result = await send(request)
    if (!(result instanceof ApiError)) return result as Body<R>
    if (result.kind === 'unauthenticated' && !request.isPublic) {
      if (!(await waitForSignIn(signInsBefore))) throw result
    } else {
      const delay = retryDelay(request, result, attempt)
      if (delay === undefined) throw result
      await pause(delay, options.signal)
    }
  }
}

/** Routes that need no session: a 401 means wrong credentials, and the server stores no response for an idempotency key. */
export const publicRoutes: ReadonlySet<Route> = new Set<Route>([
  'POST /session',
  'POST /password-reset',
  'POST /password-reset/preview',
  'POST /password-reset/choice',
  'POST /invitation/choice',
  'POST /board/invitation',
  'POST /board/entry-link',
  'POST /board/entry',
  'POST /board/sign-up',
  'v2 GET /link/{id}',
])

let requestSignIn: () => Promise<boolean> = async () => false
let pendingSignIn: Promise<boolean> | undefined
let signIns = 0

/** Sets the handler that asks the user to sign in when the session has expired. If it returns true, rejected calls are retried. */
export function onSignedOut(askToSignIn: () => Promise<boolean>) {
  requestSignIn = askToSignIn
}

/** One prompt for all calls rejected at the same time, and none if the user has signed in since the call was sent. */
async function waitForSignIn(signInsBefore: number): Promise<boolean> {
  if (signInsBefore !== signIns) return true
  pendingSignIn ??= requestSignIn().finally(() => {
    pendingSignIn = undefined
  })
  const isIn = await pendingSignIn
  if (isIn && signInsBefore === signIns) signIns++
  return isIn
}

interface Request {
  url: string
  init: RequestInit
  /** Whether the request is safe to retry. */
  isRepeatable: boolean
  isPublic: boolean
}

function buildRequest(route: Route, sent: { [name: string]: unknown }, { key, ifMatch, signal }: CallOptions): Request {
  const isContract = route.startsWith('v2 ')
  const [method = '', path = ''] = (isContract ? route.slice(3) : route).split(' ')
  const { filled, rest } = fillPath(path, sent)
  const isOpen = publicRoutes.has(route)
  const headers = new Headers({ 'x-chorus-console': '1' })
  if (method === 'POST' && !isOpen) headers.set('idempotency-key', key ?? crypto.randomUUID())
  if (ifMatch !== undefined) headers.set('if-match', ifMatch)
  const init: RequestInit = { method, headers, ...(signal && { signal }) }
  const address = `${isContract ? '/app/api/v2' : '/app/api'}${filled}`
  const isRepeatable = method === 'GET' || (method === 'POST' && !isOpen)
  if (method === 'GET') return { url: address + queryOf(rest), init, isRepeatable, isPublic: isOpen }
  headers.set('content-type', 'application/json')
  return { url: address, init: { ...init, body: JSON.stringify(rest) }, isRepeatable, isPublic: isOpen }
}

/** Inserts ids into the path. An id can come from an untrusted link and must not redirect the call to another operation. */
function fillPath(path: string, sent: { [name: string]: unknown }) {
  const rest = { ...sent }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = String(sent[name] ?? '')
    if (id === '' || id === '.' || id === '..') throw new ApiError(`"${id}" names nothing.`, { kind: 'missing' })
    delete rest[name]
    return encodeURIComponent(id)
  })
  return { filled, rest }
}

function queryOf(values: { [name: string]: unknown }): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    // Not joined by commas, because a value may contain one.
    if (Array.isArray(value)) for (const element of value) query.append(`${name}[]`, String(element))
    else query.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return query.size > 0 ? `?${query}` : ''
}

/** ETag of a response, to be sent as `ifMatch` with a change. Undefined if the server sent none. */
export const etagOf = (result: object): string | undefined => (result as Partial<Envelope>).etag

interface Envelope {
  Result: boolean
  /** Taken from the response header; copied along with the body. */
  etag?: string
  Errors?: { API?: { Error?: string }; Parts?: { [item: string]: string } }
}

async function send({ url, init, isRepeatable }: Request): Promise<Envelope | ApiError> {
  try {
    const response = await fetch(url, init)
    // A body that is not JSON comes from a proxy, not from our server.
    const body = (await response.json()) as Envelope
    markOnline()
    const tag = response.headers.get('etag')
    if (!response.ok) return errorOf(response, body)
    return tag === null ? body : { ...body, etag: tag }
  } catch {
    init.signal?.throwIfAborted()
    markOffline()
    return new ApiError(isRepeatable ? `${noResponse} Try again: it takes effect once.` : noResponse + checkFirst, {
      kind: 'lost',
    })
  }
}

const noResponse = 'The service did not answer.'
const checkFirst = ' It may have done what was asked: look before you try again.'

function errorOf({ status, headers }: Response, { Errors }: Envelope): ApiError {
  const seconds = headers.get('retry-after')
  return new ApiError(Errors?.API?.Error ?? `The service answered with the status ${status}.`, {
    kind: kinds.get(status) ?? 'fault',
    status,
    requestId: headers.get('x-request-id') ?? '',
    ...(seconds !== null && { retryAfter: Number(seconds) }),
    ...(Errors?.Parts && { itemErrors: Errors.Parts }),
  })
}

const kinds = new Map(Object.entries(statusCodes).map(([kind, status]) => [status, kind as RefusalKind]))

/** Backoff in milliseconds for lost responses. */
const pauses = [250, 1_000, 3_000, 8_000]
/** Longest silent wait before the error is shown. */
const maxDelay = 15_000

/** Milliseconds until the retry; undefined if the caller has to handle the error. */
function retryDelay(request: Request, { kind, retryAfter }: ApiError, attempt: number): number | undefined {
  // A rate-limited request was never started, so it is always safe to retry.
  if (!request.isRepeatable && kind !== 'limited') return undefined
  if (attempt >= pauses.length) return undefined
  if (kind === 'lost') return pauses[attempt]
  const delay = retryAfter === undefined ? undefined : retryAfter * 1000
  return delay !== undefined && delay <= maxDelay ? delay : undefined
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Timestamp of the lost connection; undefined while the server is reachable. */
const offlineSince = createStore<number | undefined>(undefined)

/** Called when a request or the change feed gets no response. */
export const markOffline = () => offlineSince.set(offlineSince.get() ?? now())
export const markOnline = () => offlineSince.set(undefined)

// The browser reports a lost network before any call fails.
addEventListener('offline', markOffline)

/** Notifies the listener when the connection is lost and when it is restored. */
export const subscribeToConnection = offlineSince.subscribe

export const isOffline = () => offlineSince.get() !== undefined

/** Timestamp of the lost connection; undefined while online. */
export const useOfflineSince = () => useStore(offlineSince)
