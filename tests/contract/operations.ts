import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, endpoints } from '#main/registry.ts'
import type { Caller } from '../support/caller.ts'
import type { TestService } from '../support/service.ts'
import { areaOf, byName, fixtureOf } from './collected-contracts.ts'
import type { Example } from './examples.ts'

/** All operations: the contract, and the console's own. */
export const operations: readonly Endpoint[] = [...endpoints, ...appEndpoints]

/** Method and path as clients write them: operations outside the contract include their base path. */
export const routeOf = ({ method, base, path }: Endpoint) => `${method} ${base === '/v2' ? '' : base}${path}`

/** The full path. */
export const addressOf = ({ base, path }: Endpoint, id: string) => `${base}${path.replace(/\{\w+\}/, id)}`

const examples = byName(({ examples }) => examples)

/** The parameters with which an operation succeeds. */
export async function exampleFor(endpoint: Endpoint, service: TestService): Promise<Example> {
  const route = routeOf(endpoint)
  const example = examples.get(route)
  if (!example) throw new Error(`${route} has no example. Add one to ${fixtureOf(areaOf(endpoint))}.`)
  return example(service)
}

/** The caller whose role allows the example: a publisher for console operations if possible. */
export const callerFor = ({ base, needs }: Endpoint, { admin, publisher }: TestService): Caller =>
  base === '/v2' || needs === 'administer' ? admin : publisher
