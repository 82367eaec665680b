import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { missing } from '../errors.ts'
import type { Arrival, Guard } from './auth/guard.ts'
import { addRoute } from './route/route.ts'

export interface ConsoleFiles {
  /** Folder of the built console: the page and its files in `assets`. */
  folder: string
  /** Whether the page offers the demo users to clients on this machine. */
  offersDemo: boolean
}

/** Serves the console: one HTML page for all its routes, and its assets. */
export function addConsole(server: FastifyInstance, guard: Guard, { folder, offersDemo }: ConsoleFiles) {
  const entry = { kind: 'public' } as const
  const sendPage = async ({ request, reply, hasSessionCookie, isLocal }: Arrival) => {
    // Unknown operations, and requests that don't accept HTML, get the usual 404 response.
    if (isOperation(request.url) || !wantsPage(request)) return reply.callNotFound()
    const page = await readFile(join(folder, 'page.html'), 'utf8')
    const attributes = [
      // Without a session cookie the console can skip the request for the current user.
      ...(hasSessionCookie() ? [' data-session'] : []),
      ...(offersDemo && isLocal() ? [' data-demo'] : []),
    ]
    return reply.headers(pageHeaders).send(page.replace('<html', `<html${attributes.join('')}`))
  }
  addRoute(server, guard, { method: 'GET', path: '/', entry, run: async ({ reply }) => reply.redirect('/app', 302) })
  for (const path of ['/app', '/app/*']) addRoute(server, guard, { method: 'GET', path, entry, run: sendPage })
  addRoute(server, guard, {
    method: 'GET',
    path: '/app/assets/{name}',
    entry,
    run: ({ request, reply }) => sendAsset(folder, request, reply),
  })
}

const isOperation = (url: string) => /^\/app\/api(?:[/?]|$)/.test(url)
const wantsPage = ({ headers: { accept = '' } }: FastifyRequest) => accept.includes('text/html')

/** Asset names contain a content hash, so they are cached permanently. */
async function sendAsset(folder: string, { params, headers }: FastifyRequest, reply: FastifyReply) {
  const { name = '' } = params as { name?: string }
  const type = types[assetForm.exec(name)?.[1] ?? '']
  if (!type) throw missing('File')
  const path = join(folder, 'assets', name)
  for (const [encoding, ending] of encodingsOf(headers['accept-encoding'])) {
    const bytes = await sizeOf(path + ending)
    if (bytes === undefined) continue
    if (encoding) reply.header('content-encoding', encoding)
    reply.headers({ ...assetHeaders, 'content-type': type, 'content-length': String(bytes) })
    return reply.send(createReadStream(path + ending))
  }
  throw missing('File')
}

const assetForm = /^[\w-]{1,80}\.(js|css|svg|woff2|js\.map|css\.map)$/
const types: { readonly [ending: string]: string } = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  'js.map': 'application/json; charset=utf-8',
  'css.map': 'application/json; charset=utf-8',
}

const encodingsOf = (accepted: string | string[] = ''): [encoding: string, ending: string][] => [
  ...(accepted.includes('br') ? [['br', '.br'] as [string, string]] : []),
  ...(accepted.includes('gzip') ? [['gzip', '.gz'] as [string, string]] : []),
  ['', ''],
]

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch {
    return undefined
  }
}

const shared = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const assetHeaders = { ...shared, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }

/** Content security policy: only resources of the service itself, and no text can become script or markup. */
const pageHeaders = {
  ...shared,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  vary: 'cookie',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
}
