import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { describeInterface } from './openapi.ts'

/** The description at /openapi.json and a page to read and try it at /docs, all of it served from here. */
export function addDocs(server: FastifyInstance, endpoints: readonly Endpoint[], version: string) {
  const description = JSON.stringify(describeInterface(endpoints, version))
  server.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(description))
  server.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Chorus API',
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  } as object)
}
