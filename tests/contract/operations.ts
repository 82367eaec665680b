import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, endpoints } from '#main/registry.ts'
import type { Caller } from '../support/caller.ts'
import type { TestService } from '../support/service.ts'
import { appExampleOf } from './app-examples.ts'
import { type Example, exampleOf } from './examples.ts'

/** Every operation there is: the contract, and what the console may do beyond it. */
export const operations: readonly Endpoint[] = [...endpoints, ...appEndpoints]

/** As callers write it: what is no part of the contract says where it stands. */
export const routeOf = ({ method, base, path }: Endpoint) => `${method} ${base === '/v2' ? '' : base}${path}`

/** The whole address. */
export const addressOf = ({ base, path }: Endpoint, id: string) => `${base}${path.replace(/\{\w+\}/, id)}`

/** What makes an operation succeed. */
export const exampleFor = (endpoint: Endpoint, service: TestService): Promise<Example> =>
  (endpoint.base === '/v2' ? exampleOf : appExampleOf)(routeOf(endpoint), service)

/** Who succeeds with the example: what the console does, a publisher does where the role allows it. */
export const callerFor = ({ base, needs }: Endpoint, { admin, publisher }: TestService): Caller =>
  base === '/v2' || needs === 'administer' ? admin : publisher
