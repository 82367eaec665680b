import type { Call, EndpointOf } from '#kernel/http/route/endpoint.ts'
import type { appEndpoints, endpoints } from './registry.ts'

/** All operations of the contract by route, with request and response types. Types only: browsers import nothing else from here. */
export type ContractCalls = Calls<typeof endpoints>

/** The same for the console's own operations. */
export type ConsoleCalls = Calls<typeof appEndpoints>

/** The change kinds declared by areas; the console's feed handles each of them. */
export type { ChangeName } from './registry.ts'

type Calls<Endpoints extends readonly unknown[]> = {
  [C in CallOf<Endpoints[number]> as C['route']]: Pick<C, 'sent' | 'body'>
}

type CallOf<E> = E extends EndpointOf<infer R, infer Sent, infer Body> ? Call<R, Sent, Body> : never
