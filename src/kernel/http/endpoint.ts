import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Db } from '../database/database.ts'
import type { Ability } from '../permissions.ts'
import type { Reply } from '../wire/replies.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The contract, and what the console may do beyond it. */
export type Base = '/v2' | '/app'

/** One operation of the interface. The list of these drives routing, checks, encoding, the description and the tests. */
export interface Endpoint {
  readonly method: Method
  readonly base: Base
  /** As the contract writes it, relative to its base: `/team/{id}`. */
  readonly path: string
  readonly summary: string
  readonly needs: Ability
  /** Set on what everybody may ask for without credentials: tells whose it is, or refuses. */
  readonly ownerOf?: (shared: Db, input: never) => Promise<string>
  readonly params: z.ZodType
  readonly reply: Reply<never>
  readonly run: (context: Context, input: never) => unknown
}

interface Declaration<Params extends z.ZodType, Value> {
  summary: string
  needs: Ability
  /** For everybody, without credentials: tells in whose account the answer lies, or refuses. */
  ownerOf?: (shared: Db, input: z.output<Params>) => Promise<string>
  params: Params
  reply: Reply<Value>
  /** Everything but a GET runs in one transaction. */
  run: (context: Context, input: z.output<Params>) => Promise<Value>
}

/** Declares an operation; `route` is written like the contract: `POST /team/{id}`. */
export const endpoint = <Params extends z.ZodType, Value>(route: Route, declaration: Declaration<Params, Value>) =>
  declare('/v2', route, declaration)

/** The same for the console's own operations, which are no part of the contract. */
export const appEndpoint = <Params extends z.ZodType, Value>(route: Route, declaration: Declaration<Params, Value>) =>
  declare('/app', route, declaration)

type Route = `${Method} /${string}`

function declare<Params extends z.ZodType, Value>(
  base: Base,
  route: Route,
  { run, reply, ownerOf, ...rest }: Declaration<Params, Value>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string]
  return {
    ...{ method, base, path, ...rest, run: run as Endpoint['run'], reply: reply as unknown as Reply<never> },
    ...(ownerOf && { ownerOf: ownerOf as NonNullable<Endpoint['ownerOf']> }),
  }
}
