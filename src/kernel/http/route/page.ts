import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Visitor } from '../../caller.ts'
import { invalid, Refusal } from '../../errors.ts'
import type { Identity } from '../../identities.ts'
import type { Ability } from '../../permissions.ts'
import { readCookies, type SessionCookie, sessionCookie } from '../auth/authentication.ts'
import type { Arrival, Guard } from '../auth/guard.ts'
import { gather } from '../request/parameters.ts'
import { asRefusal, challenge, refusalAnswer, statusOf } from '../response/response.ts'
import { addRoute } from './route.ts'

/** An HTML page, or a step of a flow in the browser. It responds in its own format instead of the API's. */
export interface Page {
  readonly method: 'GET' | 'POST'
  /** Path as in endpoints: `/app/connect/{network}`. */
  readonly path: string
  /** Required ability. Without it the page authenticates the caller itself. */
  readonly needs?: Ability
  /** Set if it accepts only forms of the service's own pages. */
  readonly ownForms?: true
  /** Set if unauthenticated callers are redirected to the sign-in page. */
  readonly signIn?: true
  readonly run: (visit: Visit) => Promise<PageAnswer>
}

export interface Visit {
  /** Present if the page declares `needs`. */
  identity: Identity | undefined
  values: { readonly [name: string]: unknown }
  cookies: { readonly [name: string]: string }
  visitor: Visitor
  /** Whether the request came over TLS. */
  secure: boolean
  /** Whether it came from this machine itself. */
  isLocal: boolean
  /** Origin of the service as the browser addressed it: https://chorus.example.com. */
  origin: string
}

export interface PageAnswer {
  status: number
  headers?: { readonly [name: string]: string }
  body: string
}

export function addPages(server: FastifyInstance, pages: readonly Page[], gate: Guard) {
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
    isLocal: arrival.isLocal(),
    origin: `http${secure ? 's' : ''}://${host}`,
  }
}

/** Maximum size of a submitted form. */
const maximumBytes = 256 * 1024

/** Loads only images, applies only inline styles and runs no scripts; it is not cached and can't be framed. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https: http: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // With `no-referrer` a browser would not mark the service's own forms as same-origin.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** Shared by pages with forms: submitted values and responses. */

export const shown = (body: string): PageAnswer => ({ status: 200, body })

export const seeOther = (location: string, cookie: string): PageAnswer => ({
  status: 303,
  headers: { location, 'set-cookie': cookie },
  body: '',
})

/** Sets the session cookie and redirects to the console. */
export const begun = ({ secure }: Visit, { token, seconds }: SessionCookie) =>
  seeOther('/app', sessionCookie({ token, seconds }, secure))

/** Shows the form again with the reason if the input is refused. */
export async function orAgain(
  work: () => Promise<PageAnswer>,
  form: (problem: string) => string | Promise<string>,
): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { retryAfter } = error
    const wait = retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }
    return { status: statusOf(error), ...wait, body: await form(error.message) }
  }
}

export function read<Schema extends z.ZodType>(schema: Schema, values: Visit['values']): z.output<Schema> {
  const { success, data, error } = schema.safeParse(values)
  if (!success) throw invalid(`${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`)
  return data
}

export function textOf({ values }: Visit, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value.slice(0, 254) : ''
}

/** A small page in the service's own design. The content is HTML: external values must be `escaped`. */
export const htmlPage = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escaped(title)} · Chorus</title>
  <style>
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
    body { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }
    h1 { font-size: 1.5rem }
    ul { list-style: none; padding: 0 }
    label { display: flex; gap: .75rem; align-items: center; padding: .5rem 0 }
    p > input:not([type=checkbox]), select { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #767676; border-radius: .4rem }
    .check { display: flex; gap: .75rem; align-items: center }
    [role=alert] { padding: .6rem .8rem; border-left: 4px solid #c4332b }
    img { width: 2.25rem; height: 2.25rem; border-radius: 50% }
    small { opacity: .7 }
    button { font: inherit; padding: .6rem 1.4rem; border: 0; border-radius: .5rem; background: #2456d6; color: #fff; cursor: pointer }
    a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid #7aa2ff; outline-offset: 2px }
  </style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`

export const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

const entities: { [sign: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
