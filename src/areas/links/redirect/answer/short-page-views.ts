import { performance } from 'node:perf_hooks'
import type { Clock } from '#kernel/clock.ts'
import type { clientReader } from '#kernel/http/auth/transport.ts'
import type { FrontRequest, FrontResponse } from '#kernel/http/connections.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import { escaped, htmlPage } from '#kernel/http/route/page.ts'
import type { LinkMap } from '../store/link-map.ts'
import type { ShortHost } from '../store/short-hosts.ts'
import type { ShortLink } from '../store/short-link.ts'
import type { Headers } from '../visit/request-class.ts'
import { cut } from '../visit/visit.ts'
import { visitorOf } from '../visit/visitor.ts'

/** A request to the short host that is no short link. */
export interface ShortRequest {
  readonly method: string
  /** The Host header in small letters, without its port. */
  readonly host: string
  /** As the page's own `path`: without the prefix that short links have on this host, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The value of the visitor's cookie, if it sent one that may have come from us. */
  readonly visitor: string | undefined
  /** Where the visitor is, as far as trusted proxies say. */
  readonly address: string
  /** Empty where there is none; cut to what the database keeps. */
  readonly userAgent: string
  /** Whether the visitor asks not to be followed, and whether it came over https. */
  readonly headers: { readonly dnt: string | undefined; readonly 'sec-gpc': string | undefined }
  readonly secure: boolean
  readonly now: Date
}

export interface ShortAnswer {
  readonly status: number
  /** By name in small letters; `content-length` is added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** Something else that the short host answers, in front of the hashes. */
export interface ShortPage {
  /** Beginning with a slash, such as `/conversion.gif`. */
  readonly path: string
  answer(request: ShortRequest): Promise<ShortAnswer>
}

/** Nothing is loaded from anywhere, nothing is kept, nobody may frame it or list it. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

const page = (status: number, title: string, content: string, headers: Record<string, string> = {}): ShortAnswer => ({
  status,
  headers: { ...pageHeaders, ...headers },
  body: htmlPage(title, content),
})

export const unknownLink = page(
  404,
  'There is no such link',
  '<p>Check that the address is complete. Capital and small letters are not the same here.</p>',
)

export const disabledLink = page(
  410,
  'This link was switched off',
  '<p>Whoever made it, or the operator of this service, has switched it off; it leads nowhere any more.</p>',
)

export const start = page(
  200,
  'Short links',
  '<p>Addresses here lead on to other pages. Add a <b>+</b> to one to see where it leads before you go.</p>',
)

export const unavailable = page(
  503,
  'Please try again in a moment',
  '<p>This link cannot be looked up right now. It will work again shortly.</p>',
  { 'retry-after': '5' },
)

export const fault = page(
  500,
  'Something went wrong',
  '<p>Please try again; the operator can find the cause in the log.</p>',
)

export const otherHost = page(421, 'Not here', '<p>This service has no short links under this domain.</p>')

export const plainHttp = page(
  403,
  'Use the https address',
  '<p>This service is reached over HTTPS only. Open the same address with https:// in front.</p>',
)

export const wrongMethod = page(405, 'Only for reading', '<p>Use GET or HEAD.</p>', { allow: 'GET, HEAD' })

export const preview = (destination: string): ShortAnswer =>
  page(
    200,
    'Where this link leads',
    `<p>It leads to <b>${escaped(hostOf(destination))}</b>:</p>
<p><a rel="noopener noreferrer nofollow" href="${escaped(destination)}" style="overflow-wrap: anywhere">${escaped(destination)}</a></p>`,
  )

const hostOf = (url: string) => new URL(url).host

// Fetchers of link previews obey it: they are let in, and search engines are told by a header to list nothing.
export const robots: ShortAnswer = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  body: 'User-agent: *\nDisallow:\n',
}

export const noIcon: ShortAnswer = { status: 204, headers: { 'cache-control': 'public, max-age=86400' }, body: '' }

interface PagesOptions {
  clock: Clock
  links: LinkMap
  clientOf: ReturnType<typeof clientReader>
  pages: readonly ShortPage[]
}

interface Beside {
  route: string
  answer: ShortAnswer | Promise<ShortAnswer>
}

const previewForm = /^[0-9A-Za-z]{8}(\+|%2B)$/i

/** Everything on a short host that is no link itself. */
export function openPages({ clock, links, clientOf, pages }: PagesOptions) {
  const byPath = new Map(pages.map((page) => [page.path.slice(1), page]))

  const showPreview = async (host: ShortHost, hash: string): Promise<ShortAnswer> => {
    const link = await links.find(hash)
    if (!isServed(link, host)) return unknownLink
    if (link.disabled) return disabledLink
    return preview(link.location + (link.tail ?? ''))
  }
  const showPage = (request: FrontRequest, host: ShortHost, headers: Headers, page: ShortPage, query: string) => {
    const { cookie, userAgent, dnt, secGpc } = headers
    return page.answer({
      method: request.method as string,
      host: host.name,
      path: page.path,
      query: new URLSearchParams(query),
      visitor: visitorOf(cookie),
      ...clientOf(request),
      userAgent: cut(userAgent),
      headers: { dnt, 'sec-gpc': secGpc },
      now: clock.now(),
    })
  }
  return {
    /** Whether there is something of ours at a path that the interface might have as well. */
    has: (path: string) => previewForm.test(path) || byPath.has(path),
    of(request: FrontRequest, host: ShortHost, headers: Headers, path: string, query: string): Beside {
      const page = byPath.get(path)
      if (page) return { route: `short${page.path}`, answer: showPage(request, host, headers, page, query) }
      if (previewForm.test(path)) return { route: 'short/{hash}+', answer: showPreview(host, path.slice(0, 8)) }
      if (path === '') return { route: 'short/', answer: start }
      if (path === 'robots.txt') return { route: 'short/robots.txt', answer: robots }
      if (path === 'favicon.ico') return { route: 'short/favicon.ico', answer: noIcon }
      return { route: 'short/unknown', answer: unknownLink }
    },
  }
}

/** A link is found under its account's own domains and under the service's. */
export const isServed = (link: ShortLink | undefined, { account }: ShortHost): link is ShortLink =>
  link !== undefined && (account === undefined || link.account === account)

/** Sends a whole answer, and measures it. */
export const openShow =
  (draining: () => boolean, metrics: Metrics) =>
  (request: FrontRequest, response: FrontResponse, answer: ShortAnswer, route: string, since: number) => {
    const { status, headers, body } = answer
    const close = draining() && { connection: 'close' }
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, { ...headers, ...length, ...close })
    response.end(request.method === 'HEAD' ? undefined : body)
    metrics.observe(request.method ?? '', route, status, (performance.now() - since) / 1000)
  }
