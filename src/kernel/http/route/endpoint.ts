import type { z } from 'zod'
import type { Visitor } from '../../caller.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../database/database.ts'
import type { ExternalIo } from '../../external-io.ts'
import type { Installation } from '../../installation.ts'
import type { Ability } from '../../permissions.ts'
import type { Reply } from '../../wire/replies.ts'
import type { CookieWish } from '../auth/authentication.ts'
import type { Entry } from '../auth/guard.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The contract, what the console may do beyond it, and the contract once more for the console. */
export type Base = '/v2' | '/app/api' | '/app/api/v2'

/** One operation of the interface. The list of these drives routing, checks, encoding, the description and the tests. */
export interface Endpoint {
  readonly method: Method
  readonly base: Base
  /** As the contract writes it, relative to its base: `/team/{id}`. */
  readonly path: string
  readonly summary: string
  readonly operationId?: string
  readonly formerPaths?: readonly string[]
  readonly inQuery?: true
  readonly needs: Ability
  readonly readsOnly?: true
  readonly untold?: true
  /** Set on what everybody may ask for without credentials: tells whose it is, or refuses. */
  readonly ownerOf?: (shared: Db, input: never) => Promise<string>
  readonly params: z.ZodType
  readonly reply: Reply<never>
  readonly before?: (outside: ExternalIo, input: never) => Promise<unknown>
  /** Absent where `openly` stands. */
  readonly run?: (context: Context, input: never, found: never) => unknown
  readonly after?: (outside: ExternalIo, input: never) => Promise<unknown>
  /** Set on what somebody does to become known: no credentials are looked at, and it makes its own changes. */
  readonly openly?: (installation: Installation, visitor: Visitor, input: never) => Promise<unknown>
  readonly cookie?: (value: never) => CookieWish | 'none' | undefined
  readonly modified?: (value: never) => Date
}

/** An endpoint whose route, and what is sent to it and answered, are known to the compiler. */
export interface EndpointOf<R extends string, Sent, Body> extends Endpoint {
  /** Carries the types only. */
  readonly called?: Call<R, Sent, Body>
}

export interface Call<R extends string, Sent, Body> {
  readonly route: R
  readonly sent: Sent
  readonly body: Body
}

/** Whether it is for everybody, without credentials. */
export const isOpen = ({ ownerOf, openly }: Endpoint) => Boolean(ownerOf || openly)

/** Who may call it, and how they show who they are. */
export function entryOf(endpoint: Endpoint): Entry {
  if (isOpen(endpoint)) return { kind: 'public' }
  return { kind: endpoint.base === '/v2' ? 'contract' : 'console', needs: endpoint.needs }
}

/** The contract a second time, for sessions: the same operations behind another door. */
export const forSessions = (endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map((endpoint) => ({ ...endpoint, base: '/app/api/v2' }))

interface Declaration<Params extends z.ZodType, Value, Body> {
  summary: string
  /** Its name in the interface description, where `operationIdOf` does not find the right words. */
  operationId?: string
  /** Addresses that it had before, which are still answered and described no more. */
  formerPaths?: readonly string[]
  /** Set where published clients send the parameters in the query although the verb has a body. */
  inQuery?: true
  needs: Ability
  /** Set on what changes nothing and yet is no GET: it runs like one. */
  readsOnly?: true
  /** Set on what concerns nobody but the caller and is done every few seconds: the audit log says nothing of it. */
  untold?: true
  /** For everybody, without credentials: tells in whose account the answer lies, or refuses. */
  ownerOf?: (shared: Db, input: z.output<Params>) => Promise<string>
  params: Params
  reply: Reply<Value, Body>
  /** The session that the caller's browser is to keep from now on, or that it keeps none. */
  cookie?: (value: Value) => CookieWish | 'none' | undefined
  /**
   * When what is answered was last changed: the console gets it as an ETag, and what changes it takes an If-Match, which `run` has to
   * compare by `requireUnchanged`.
   */
  modified?: (value: Value) => Date
  /**
   * What must be waited for once the change stands, before it is answered; no connection is held. It may be done again, after a
   * crash. Gives what to answer, if that has changed meanwhile.
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
  /** What has to be found out outside before the transaction, or before anything is read; no connection is held. */
  before: (outside: ExternalIo, input: z.output<Params>) => Promise<Found>
  run: (context: Context, input: z.output<Params>, found: Found) => Promise<Value>
}

interface Opening<Params extends z.ZodType, Value, Body> extends Declaration<Params, Value, Body> {
  before?: undefined
  run?: undefined
  /** For who is not known yet. It makes its own changes, and holds no connection in between. */
  openly: (installation: Installation, visitor: Visitor, input: z.output<Params>) => Promise<Value>
}

type Any<Params extends z.ZodType, Value, Body, Found> =
  | Plain<Params, Value, Body>
  | FindingOut<Params, Value, Body, Found>
  | Opening<Params, Value, Body>

/** Declares an operation; `route` is written like the contract: `POST /team/{id}`. */
export const endpoint = <const R extends Route, Params extends z.ZodType, Value, Body, Found = never>(
  route: R,
  declaration: Any<Params, Value, Body, Found>,
): EndpointOf<R, z.input<Params>, Body> => declare('/v2', route, declaration)

/** The same for the console's own operations, which are no part of the contract. */
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
