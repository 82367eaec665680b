import type { Call, EndpointOf } from '#kernel/http/route/endpoint.ts'
import type { appEndpoints, endpoints } from './registry.ts'

/** Every operation of the contract by its route: what is sent to it, and what it answers. Types alone: browsers take nothing else from here. */
export type ContractCalls = Calls<typeof endpoints>

/** The same of what the console calls beyond it. */
export type ConsoleCalls = Calls<typeof appEndpoints>

/** The change kinds that areas declare; the console's feed handles each of them. */
export type { ChangeName } from './registry.ts'

type Calls<Endpoints extends readonly unknown[]> = {
  [C in CallOf<Endpoints[number]> as C['route']]: Pick<C, 'sent' | 'body'>
}

type CallOf<E> = E extends EndpointOf<infer R, infer Sent, infer Body> ? Call<R, Sent, Body> : never
