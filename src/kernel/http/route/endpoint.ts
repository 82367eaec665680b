import type { z } from 'zod'
import type { Visitor } from '../../caller.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../database/database.ts'
import type { ExternalIo } from '../../external-io.ts'
import type { Installation } from '../../installation.ts'
import type { Ability } from '../../permissions.ts'
import type { Reply } from '../../wire/replies.ts'
import type { SessionCookie } from '../auth/authentication.ts'
import type { Entry } from '../auth/guard.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The contract, the console's own API, and the contract again for console sessions. */
export type Base = '/v2' | '/app/api' | '/app/api/v2'

/** One API operation. The list of endpoints drives routing, validation, encoding, the OpenAPI description and the tests. */
export interface Endpoint {
  readonly method: Method
  readonly base: Base
  /** Path as in the contract, relative to its base: `/team/{id}`. */
  readonly path: string
  readonly summary: string
  readonly operationId?: string
  readonly formerPaths?: readonly string[]
  readonly inQuery?: true
  readonly needs: Ability
  readonly readsOnly?: true
  readonly unaudited?: true
  /** For public endpoints: returns the account that owns the data, or refuses. */
  readonly ownerOf?: (shared: Db, input: never) => Promise<string>
  readonly params: z.ZodType
  readonly reply: Reply<never>
  readonly before?: (outside: ExternalIo, input: never) => Promise<unknown>
  /** Absent if `openly` is set. */
  readonly run?: (context: Context, input: never, found: never) => unknown
  readonly after?: (outside: ExternalIo, input: never) => Promise<unknown>
  /** For sign-in and similar endpoints: credentials are ignored, and it makes its own transactions. */
  readonly openly?: (installation: Installation, visitor: Visitor, input: never) => Promise<unknown>
  readonly cookie?: (value: never) => SessionCookie | 'none' | undefined
  readonly modified?: (value: never) => Date
}

/** An endpoint whose route, parameters and response are known to the compiler. */
export interface EndpointOf<R extends string, Sent, Body> extends Endpoint {
  /** Carries types only. */
  readonly called?: Call<R, Sent, Body>
}

export interface Call<R extends string, Sent, Body> {
  readonly route: R
  readonly sent: Sent
  readonly body: Body
}

/** Whether it is public. */
export const isOpen = ({ ownerOf, openly }: Endpoint) => Boolean(ownerOf || openly)

/** The access rule of an endpoint. */
export function entryOf(endpoint: Endpoint): Entry {
  if (isOpen(endpoint)) return { kind: 'public' }
  return { kind: endpoint.base === '/v2' ? 'contract' : 'console', needs: endpoint.needs }
}

/** The contract again for sessions: the same operations under another base. */
export const forSessions = (endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map((endpoint) => ({ ...endpoint, base: '/app/api/v2' }))

interface Declaration<Params extends z.ZodType, Value, Body> {
  summary: string
  /** Overrides the name that `operationIdOf` derives. */
  operationId?: string
  /** Former paths, which still work but are no longer documented. */
  formerPaths?: readonly string[]
  /** Set if published clients send the parameters in the query although the method has a body. */
  inQuery?: true
  needs: Ability
  /** Set on operations that change nothing but are not a GET: they run like one. */
  readsOnly?: true
  /** Set on operations that concern only the caller and run every few seconds: they are not audited. */
  unaudited?: true
  /** For public endpoints: returns the account that owns the data, or refuses. */
  ownerOf?: (shared: Db, input: z.output<Params>) => Promise<string>
  params: Params
  reply: Reply<Value, Body>
  /** Session cookie to set in the caller's browser, or `none` to clear it. */
  cookie?: (value: Value) => SessionCookie | 'none' | undefined
  /**
   * Last modification of the returned object. The console gets it as an ETag; changes of the object accept an If-Match, which `run` must
   * check with `requireUnchanged`.
   */
  modified?: (value: Value) => Date
  /**
   * External I/O after the change is committed and before the response; no connection is held. It may be repeated after a crash. Returns
   * the new response value if it has changed.
   */
  after?: (outside: ExternalIo, input: z.output<Params>) => Promise<Value | undefined>
}

interface Plain<Params extends z.ZodType, Value, Body> extends Declaration<Params, Value, Body> {
  before?: undefined
  openly?: undefined
  /** Everything but a GET runs in one transaction. */
  run: (context: Context, input: z.output<Params>) => Promise<Value>
}

interface FindingOut<Params extends z.ZodType, Value, Body, Found> extends Declaration<Params, Value, Body> {
  openly?: undefined
  /** External I/O before the transaction or the first read; no connection is held. */
  before: (outside: ExternalIo, input: z.output<Params>) => Promise<Found>
  run: (context: Context, input: z.output<Params>, found: Found) => Promise<Value>
}

interface Opening<Params extends z.ZodType, Value, Body> extends Declaration<Params, Value, Body> {
  before?: undefined
  run?: undefined
  /** For callers without an identity. It makes its own transactions and holds no connection between them. */
  openly: (installation: Installation, visitor: Visitor, input: z.output<Params>) => Promise<Value>
}

type Any<Params extends z.ZodType, Value, Body, Found> =
  | Plain<Params, Value, Body>
  | FindingOut<Params, Value, Body, Found>
  | Opening<Params, Value, Body>

/** Declares an operation; `route` is written as in the contract: `POST /team/{id}`. */
export const endpoint = <const R extends Route, Params extends z.ZodType, Value, Body, Found = never>(
  route: R,
  declaration: Any<Params, Value, Body, Found>,
): EndpointOf<R, z.input<Params>, Body> => declare('/v2', route, declaration)

/** Declares an operation of the console's own API, which is not part of the contract. */
export const appEndpoint = <const R extends Route, Params extends z.ZodType, Value, Body, Found = never>(
  route: R,
  declaration: Any<Params, Value, Body, Found>,
): EndpointOf<R, z.input<Params>, Body> => declare('/app/api', route, declaration)

type Route = `${Method} /${string}`

function declare<Params extends z.ZodType, Value, Body, Found>(
  base: Base,
  route: Route,
  declaration: Any<Params, Value, Body, Found>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string]
  return { method, base, path, ...(declaration as unknown as Omit<Endpoint, 'method' | 'base' | 'path'>) }
}
