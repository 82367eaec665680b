import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Guard } from './auth/guard.ts'
import { addRoute } from './route/route.ts'

/** An OpenAPI description, its path and the path of its reference page. */
export interface Description {
  title: string
  page: string
  file: string
  /** Built on first request: most processes never need it. */
  content(): object
}

/** Serves each description and its reference page from this origin only. */
export function addDocs(server: FastifyInstance, guard: Guard, descriptions: readonly Description[]) {
  const serve = (path: string, send: (reply: FastifyReply) => unknown) =>
    addRoute(server, guard, { method: 'GET', path, entry: { kind: 'public' }, run: async ({ reply }) => send(reply) })
  for (const { title, page, file, content } of descriptions) {
    let description: string | undefined
    serve(file, (reply) => {
      description ??= JSON.stringify(content())
      return reply.type('application/json; charset=utf-8').send(description)
    })
    const others = descriptions.filter((other) => other.page !== page)
    const text = readingPage(title, file, others)
    serve(page, (reply) => reply.headers(pageHeaders).send(text))
  }
  serve('/docs/reference.js', (reply) =>
    reply
      .headers({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=3600' })
      .send(createReadStream(script)),
  )
}

/** The package's plugin requires its own title and an inline script; its script file alone is enough. */
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

const readingPage = (title: string, file: string, others: readonly Description[]) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" href="data:,">
</head>
<body>
  <noscript>This page needs JavaScript; the same is described in ${file}.</noscript>
  ${others.map(({ title: name, page }) => `<a href="${page}">${name}</a>`).join(' ')}
  <script id="api-reference" data-url="${file}" data-configuration='${JSON.stringify(configuration)}'></script>
  <script src="/docs/reference.js"></script>
</body>
</html>
`

/** Nothing may be loaded from, or sent to, another origin. */
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
