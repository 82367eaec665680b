import { readFileSync } from 'node:fs'
import type { Description } from '#kernel/http/docs.ts'
import { describeConsole, describeInterface, type Examples } from '#kernel/http/openapi.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { apiExamples, version } from './project.ts'
import { apiTags, appEndpoints, downloads, intakes, streams } from './registry.ts'

/** The OpenAPI documents, one per API. */
export const descriptionsOf = (endpoints: readonly Endpoint[]): Description[] => [
  {
    title: 'Chorus API',
    page: '/docs',
    file: '/openapi.json',
    content: () => describeInterface(endpoints, sources()),
  },
  {
    title: 'Chorus: the console’s interface',
    page: '/docs/app',
    file: '/app-openapi.json',
    content: () => describeConsole(appEndpoints, { intakes, downloads, streams }, sources()),
  },
]

const sources = () => ({
  version,
  tags: apiTags,
  examples: JSON.parse(readFileSync(apiExamples, 'utf8')) as Examples,
})
