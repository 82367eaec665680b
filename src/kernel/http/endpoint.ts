import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { Ability } from '../permissions.ts'
import type { Reply } from '../wire/replies.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One operation of the contract. The list of these drives routing, checks, encoding, the description and the tests. */
export interface Endpoint {
  readonly method: Method
  /** As the contract writes it, relative to /v2: `/team/{id}`. */
  readonly path: string
  readonly summary: string
  readonly needs: Ability
  readonly params: z.ZodType
  readonly reply: Reply<never>
  readonly run: (context: Context, input: never) => unknown
}

interface Declaration<Params extends z.ZodType, Value> {
  summary: string
  needs: Ability
  params: Params
  reply: Reply<Value>
  /** Everything but a GET runs in one transaction. */
  run: (context: Context, input: z.output<Params>) => Promise<Value>
}

/** Declares an operation; `route` is written like the contract: `POST /team/{id}`. */
export function endpoint<Params extends z.ZodType, Value>(
  route: `${Method} /${string}`,
  { run, reply, ...rest }: Declaration<Params, Value>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string]
  return { method, path, ...rest, run: run as Endpoint['run'], reply: reply as unknown as Reply<never> }
}
