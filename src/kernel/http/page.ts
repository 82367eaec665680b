import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Identity } from '../identities.ts'
import type { Ability } from '../permissions.ts'
import { asRefusal, refusalAnswer } from './answer.ts'
import type { Gate, IdentifiedRequest } from './gate.ts'
import { escaped, htmlPage } from './html.ts'
import { gather } from './parameters.ts'

/** A page for a person's browser, or a step of a way through it. It answers in its own form, not in the wire's. */
export interface Page {
  readonly method: 'GET' | 'POST'
  /** As endpoints write it: `/app/connect/{network}`. */
  readonly path: string
  /** Who may open it. Without it the page finds out by itself who asks. */
  readonly needs?: Ability
  readonly run: (visit: Visit) => Promise<PageAnswer>
}

export interface Visit {
  /** Present where the page says what it needs. */
  identity: Identity | undefined
  values: { readonly [name: string]: unknown }
  cookies: { readonly [name: string]: string }
  /** The service as the browser addressed it: https://chorus.example.com. */
  origin: string
}

export interface PageAnswer {
  status: number
  headers?: { readonly [name: string]: string }
  body: string
}

export function addPages(server: FastifyInstance, pages: readonly Page[], gate: Gate) {
  for (const page of pages) {
    const url = page.path.replace(/\{(\w+)\}/g, ':$1')
    server.route({ method: page.method, url, handler: (request, reply) => show(page, gate, request, reply) })
  }
}

async function show(page: Page, gate: Gate, request: IdentifiedRequest, reply: FastifyReply) {
  try {
    const { status, headers = {}, body } = await page.run(await visitOf(page, gate, request, reply))
    return reply.code(status).headers(pageHeaders).headers(headers).send(body)
  } catch (error) {
    const refusal = asRefusal(error)
    if (!refusal || !String(request.headers.accept).includes('text/html')) throw error
    if (refusal.kind === 'unauthenticated') reply.header('www-authenticate', 'Basic realm="Chorus", charset="UTF-8"')
    const body = htmlPage('That did not work', `<p>${escaped(refusal.message)}</p>`)
    return reply.code(refusalAnswer(refusal).status).headers(pageHeaders).send(body)
  }
}

async function visitOf({ needs }: Page, gate: Gate, request: IdentifiedRequest, reply: FastifyReply): Promise<Visit> {
  const identity = needs && (await gate.admit(request, reply, needs))
  if (!identity) gate.pass(request)
  const values = gather({
    path: request.params as { [name: string]: string },
    query: (request.raw.url ?? '').split('?').slice(1).join('?'),
    contentType: request.headers['content-type'],
    body: await gate.body(request, reply, maximumBytes),
  })
  const { host = '' } = request.headers
  const { secure } = gate.clientOf(request)
  return {
    identity,
    values,
    cookies: readCookies(request.headers.cookie),
    origin: `http${secure ? 's' : ''}://${host}`,
  }
}

function readCookies(header = ''): { [name: string]: string } {
  const pairs = header.split(';').map((pair) => {
    const split = pair.indexOf('=')
    return [pair.slice(0, Math.max(split, 0)).trim(), pair.slice(split + 1).trim()] as const
  })
  return Object.fromEntries(pairs.filter(([name]) => name !== ''))
}

/** A form that a person fills in. */
const maximumBytes = 256 * 1024

/** Nothing is loaded from anywhere, nothing is kept, nobody may frame it. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
