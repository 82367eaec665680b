import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { describeInterface } from './openapi.ts'

/** The description at /openapi.json and a page to read and try it at /docs, all of it served from here. */
export function addDocs(server: FastifyInstance, endpoints: readonly Endpoint[], version: string) {
  const description = JSON.stringify(describeInterface(endpoints, version))
  server.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(description))
  server.get('/docs', (_request, reply) => reply.headers(pageHeaders).send(page))
  server.get('/docs/reference.js', (_request, reply) =>
    reply
      .headers({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=3600' })
      .send(createReadStream(script)),
  )
}

/** The package's own plugin wants a title and an inline script of its own; its script alone is all that is needed. */
const script = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')),
  'js',
  'standalone.js',
)

const configuration = {
  theme: 'default',
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'basic' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Chorus API</title>
  <link rel="icon" href="data:,">
</head>
<body>
  <noscript>This page needs JavaScript; the same is described in /openapi.json.</noscript>
  <script id="api-reference" data-url="/openapi.json" data-configuration='${JSON.stringify(configuration)}'></script>
  <script src="/docs/reference.js"></script>
</body>
</html>
`

/** Nothing may be loaded from, or sent to, anywhere else. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
