import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Visitor } from '../../caller.ts'
import { Refusal } from '../../errors.ts'
import type { Identity } from '../../identities.ts'
import type { Ability } from '../../permissions.ts'
import { asRefusal, challenge, refusalAnswer } from '../answer/answer.ts'
import type { Arrival, Gate } from '../entrance/gate.ts'
import { readCookies } from '../entrance/session-cookie.ts'
import { gather } from '../reading/parameters.ts'
import { escaped, htmlPage } from './html.ts'
import { addRoute } from './route.ts'

/** A page for a person's browser, or a step of a way through it. It answers in its own form, not in the wire's. */
export interface Page {
  readonly method: 'GET' | 'POST'
  /** As endpoints write it: `/app/connect/{network}`. */
  readonly path: string
  /** Who may open it. Without it the page finds out by itself who asks. */
  readonly needs?: Ability
  /** Set where only forms of the service's own pages may be sent to it. */
  readonly ownForms?: true
  /** Set where whoever is not known is led to the sign-in page. */
  readonly signIn?: true
  readonly run: (visit: Visit) => Promise<PageAnswer>
}

export interface Visit {
  /** Present where the page says what it needs. */
  identity: Identity | undefined
  values: { readonly [name: string]: unknown }
  cookies: { readonly [name: string]: string }
  visitor: Visitor
  /** Whether the request came by TLS. */
  secure: boolean
  /** Whether it came from this machine itself. */
  isFromHere: boolean
  /** The service as the browser addressed it: https://chorus.example.com. */
  origin: string
}

export interface PageAnswer {
  status: number
  headers?: { readonly [name: string]: string }
  body: string
}

export function addPages(server: FastifyInstance, pages: readonly Page[], gate: Gate) {
  for (const { method, path, needs, ownForms, signIn, run } of pages) {
    const entry = { kind: 'page', needs, ownForms } as const
    addRoute(server, gate, {
      method,
      path,
      entry,
      refused: (error, request, reply) =>
        signIn && isUnknown(error) ? reply.redirect('/app/sign-in', 303) : showRefusal(error, request, reply),
      async run(arrival) {
        const { status, headers = {}, body } = await run(await visitOf(arrival))
        return arrival.reply.code(status).headers(pageHeaders).headers(headers).send(body)
      },
    })
  }
}

const isUnknown = (error: unknown) => error instanceof Refusal && error.kind === 'unauthenticated'

function showRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = asRefusal(error)
  if (!refusal || !String(request.headers.accept).includes('text/html')) throw error
  if (refusal.kind === 'unauthenticated') reply.header('www-authenticate', challenge)
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter))
  const way = refusal.kind === 'unauthenticated' ? '<p><a href="/app/sign-in">Sign in</a></p>' : ''
  const body = htmlPage('That did not work', `<p>${escaped(refusal.message)}</p>${way}`)
  return reply.code(refusalAnswer(refusal).status).headers(pageHeaders).send(body)
}

async function visitOf(arrival: Arrival): Promise<Visit> {
  const { request, identity } = arrival
  const values = gather({
    path: request.params as { [name: string]: string },
    query: (request.raw.url ?? '').split('?').slice(1).join('?'),
    contentType: request.headers['content-type'],
    body: await arrival.body(maximumBytes),
  })
  const { host = '' } = request.headers
  const { secure } = arrival.client()
  return {
    identity,
    values,
    cookies: readCookies(request.headers.cookie),
    visitor: arrival.visitor(),
    secure,
    isFromHere: arrival.isFromHere(),
    origin: `http${secure ? 's' : ''}://${host}`,
  }
}

/** A form that a person fills in. */
const maximumBytes = 256 * 1024

/** Nothing is loaded from anywhere, nothing is kept, nobody may frame it. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // With none at all, a browser would not say that the service's own forms are the service's own.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
