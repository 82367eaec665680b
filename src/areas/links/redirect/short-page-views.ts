import { performance } from 'node:perf_hooks'
import type { Clock } from '#kernel/clock.ts'
import type { clientReader } from '#kernel/http/auth/transport.ts'
import type { FrontRequest, FrontResponse } from '#kernel/http/connections.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import { escaped, htmlPage } from '#kernel/http/route/page.ts'
import type { Headers } from './request-class.ts'
import type { LinkMap } from './store/link-map.ts'
import type { ShortHost } from './store/short-hosts.ts'
import type { ShortLink } from './store/short-link.ts'
import { cut, visitorOf } from './visit.ts'

/** A request to the short host that isn't a short link. */
export interface ShortRequest {
  readonly method: string
  /** Lowercase Host header without port. */
  readonly host: string
  /** Without the short link prefix of this host and without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Visitor id from the cookie, if it has a valid format. */
  readonly visitor: string | undefined
  /** Client IP, according to trusted proxies. */
  readonly address: string
  /** Empty if missing; truncated to the stored length. */
  readonly userAgent: string
  /** Do Not Track, Global Privacy Control, and whether it came over https. */
  readonly headers: { readonly dnt: string | undefined; readonly 'sec-gpc': string | undefined }
  readonly secure: boolean
  readonly now: Date
}

export interface ShortResponse {
  readonly status: number
  /** Lowercase names; `content-length` is added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** A page of the short host, matched before hashes. */
export interface ShortPage {
  /** Starts with a slash, such as `/conversion.gif`. */
  readonly path: string
  answer(request: ShortRequest): Promise<ShortResponse>
}

/** No subresources, no caching, no framing, no indexing. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

const page = (status: number, title: string, content: string, headers: Record<string, string> = {}): ShortResponse => ({
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

const start = page(
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

const preview = (destination: string): ShortResponse =>
  page(
    200,
    'Where this link leads',
    `<p>It leads to <b>${escaped(hostOf(destination))}</b>:</p>
<p><a rel="noopener noreferrer nofollow" href="${escaped(destination)}" style="overflow-wrap: anywhere">${escaped(destination)}</a></p>`,
  )

const hostOf = (url: string) => new URL(url).host

// Link preview fetchers obey it, so they are allowed; search engines are excluded by a header.
const robots: ShortResponse = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  body: 'User-agent: *\nDisallow:\n',
}

const noIcon: ShortResponse = { status: 204, headers: { 'cache-control': 'public, max-age=86400' }, body: '' }

interface PagesOptions {
  clock: Clock
  links: LinkMap
  clientOf: ReturnType<typeof clientReader>
  pages: readonly ShortPage[]
}

interface RoutedPage {
  route: string
  answer: ShortResponse | Promise<ShortResponse>
}

const previewForm = /^[0-9A-Za-z]{8}(\+|%2B)$/i

/** Every response of a short host that isn't a link. */
export function openPages({ clock, links, clientOf, pages }: PagesOptions) {
  const byPath = new Map(pages.map((page) => [page.path.slice(1), page]))

  const showPreview = async (host: ShortHost, hash: string): Promise<ShortResponse> => {
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
    /** Whether a path of a host shared with the API belongs to short links. */
    has: (path: string) => previewForm.test(path) || byPath.has(path),
    of(request: FrontRequest, host: ShortHost, headers: Headers, path: string, query: string): RoutedPage {
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

/** A link is served under its account's own domains and under the service's. */
export const isServed = (link: ShortLink | undefined, { account }: ShortHost): link is ShortLink =>
  link !== undefined && (account === undefined || link.account === account)

/** Sends a response and records its metrics. */
export const openPageSender =
  (draining: () => boolean, metrics: Metrics) =>
  (request: FrontRequest, response: FrontResponse, reply: ShortResponse, route: string, since: number) => {
    const { status, headers, body } = reply
    const close = draining() && { connection: 'close' }
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, { ...headers, ...length, ...close })
    response.end(request.method === 'HEAD' ? undefined : body)
    metrics.observe(request.method ?? '', route, status, (performance.now() - since) / 1000)
  }
