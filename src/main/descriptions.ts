import type { Description } from '#kernel/http/docs.ts'
import { describeConsole, describeInterface } from '#kernel/http/openapi.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, downloads, intakes, streams } from './endpoints.ts'
import { version } from './project.ts'

/** What is written about the interfaces, each in a document of its own. */
export const descriptionsOf = (endpoints: readonly Endpoint[]): Description[] => [
  {
    title: 'Chorus API',
    page: '/docs',
    file: '/openapi.json',
    content: () => describeInterface(endpoints, version),
  },
  {
    title: 'Chorus: the console’s interface',
    page: '/docs/app',
    file: '/app-openapi.json',
    content: () => describeConsole(appEndpoints, { intakes, downloads, streams }, version),
  },
]
