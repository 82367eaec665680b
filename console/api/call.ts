import { useSyncExternalStore } from 'react'
import { type RefusalKind, statusCodes } from '#kernel/errors.ts'
import type { ConsoleCalls, ContractCalls } from '#main/wire-types.ts'
import { now } from '@/time/days.ts'

type Calls = { [R in keyof ContractCalls as `v2 ${R}`]: ContractCalls[R] } & ConsoleCalls

/** An operation, written as its declaration writes it; those of the contract with `v2` before it: `v2 POST /campaign/{id}`. */
export type Route = keyof Calls
export type Params<R extends Route> = Calls[R]['sent']
export type Body<R extends Route> = Calls[R]['body']

export interface CallOptions {
  signal?: AbortSignal
  /** Of a POST that was begun before the page was loaded: what it did then is not done again. */
  key?: string
  /** The tag under which what is changed was read: refused as `changed` when it is another by now. */
  ifMatch?: string | undefined
}

type Rest<R extends Route> =
  Record<never, never> extends Params<R> ? [sent?: Params<R>, how?: CallOptions] : [sent: Params<R>, how?: CallOptions]

/** `lost`: nobody knows whether it took effect. `fault`: the service has made a mistake. */
export type ErrorKind = RefusalKind | 'lost' | 'fault'

/** Why a call came to nothing, in the service's own sentence. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly kind: ErrorKind
  /** 0 where there was no answer. */
  readonly status: number
  /** By which the service's log names the call. */
  readonly requestId: string
  /** Seconds after which the same call may succeed. */
  readonly retryAfter: number | undefined
  /** What is wrong with each of several things, by its place. */
  readonly parts: { readonly [place: string]: string }

  constructor(
    sentence: string,
    about: {
      kind: ErrorKind
      status?: number
      requestId?: string
      retryAfter?: number
      parts?: { [place: string]: string }
    },
  ) {
    super(sentence)
    this.kind = about.kind
    this.status = about.status ?? 0
    this.requestId = about.requestId ?? ''
    this.retryAfter = about.retryAfter
    this.parts = about.parts ?? {}
  }
}

/**
 * Calls the service. What is sent and what is answered has the types of the operation's own declaration. Throws an ApiError, or what the
 * signal was aborted with.
 */
export async function call<R extends Route>(route: R, ...[sent, how = {}]: Rest<R>): Promise<Body<R>> {
  const request = buildRequest(route, { ...sent }, how)
  for (let tries = 0; ; tries++) {
    const signInsBefore = signIns
    const answer = await send(request)
    if (!(answer instanceof ApiError)) return answer as Body<R>
    if (answer.kind === 'unauthenticated' && !request.isPublic) {
      if (!(await waitForSignIn(signInsBefore))) throw answer
    } else {
      const wait = retryDelay(request, answer, tries)
      if (wait === undefined) throw answer
      await pause(wait, how.signal)
    }
  }
}

/** What is called by who is not signed in: a 401 then says that a password is wrong, and nothing is kept for a key. */
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

/** Has somebody sign in when a session has ended, and tells whether they did: then what was refused is called again. */
export function onSignedOut(askToSignIn: () => Promise<boolean>) {
  requestSignIn = askToSignIn
}

/** One question for all that were refused at the same time, and none where the answer has come meanwhile. */
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
  /** Whether it has one effect however often it arrives. */
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

/** Puts ids into the path. An id can come out of a link that a stranger wrote, and must not lead to another operation. */
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
    // Not joined by commas, which a value may hold.
    if (Array.isArray(value)) for (const one of value) query.append(`${name}[]`, String(one))
    else query.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return query.size > 0 ? `?${query}` : ''
}

/** By which what was read is known: whoever changes it sends this along as `ifMatch`. Nothing where the service gave none. */
export const etagOf = (answer: object): string | undefined => (answer as Partial<Envelope>).etag

interface Envelope {
  Result: boolean
  /** Said in a header; copies of the answer keep it. */
  etag?: string
  Errors?: { API?: { Error?: string }; Parts?: { [place: string]: string } }
}

async function send({ url, init, isRepeatable }: Request): Promise<Envelope | ApiError> {
  try {
    const response = await fetch(url, init)
    // What is no JSON is not of the service: something on the way has answered in its place.
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
    ...(Errors?.Parts && { parts: Errors.Parts }),
  })
}

const kinds = new Map(Object.entries(statusCodes).map(([kind, status]) => [status, kind as RefusalKind]))

/** In milliseconds, one after the other, for answers that got lost. */
const pauses = [250, 1_000, 3_000, 8_000]
/** Longer than that nobody is left without a word. */
const maxDelay = 15_000

/** How long to wait until the call is made again; nothing where whoever made it has to decide. */
function retryDelay(request: Request, { kind, retryAfter }: ApiError, tries: number): number | undefined {
  // What was refused for its number has not begun.
  if (!request.isRepeatable && kind !== 'limited') return undefined
  if (tries >= pauses.length) return undefined
  if (kind === 'lost') return pauses[tries]
  const wait = retryAfter === undefined ? undefined : retryAfter * 1000
  return wait !== undefined && wait <= maxDelay ? wait : undefined
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

/** Whether the service answers. */

let offlineSince: number | undefined
const connectionListeners = new Set<() => void>()

function set(since: number | undefined) {
  if ((since === undefined) === (offlineSince === undefined)) return
  offlineSince = since
  for (const listener of connectionListeners) listener()
}

/** A call or the feed had no answer. */
export const markOffline = () => set(offlineSince ?? now())
export const markOnline = () => set(undefined)

// A browser that knows it has no network says so before any call fails.
addEventListener('offline', markOffline)

/** Hears when the service is lost, and when it answers again. */
export function subscribeToConnection(listener: () => void): () => void {
  connectionListeners.add(listener)
  return () => void connectionListeners.delete(listener)
}

export const isOffline = () => offlineSince !== undefined

/** Since when there is no answer; nothing while there is. */
export const useOfflineSince = () => useSyncExternalStore(subscribeToConnection, () => offlineSince)
