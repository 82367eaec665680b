import type { Clock } from '#kernel/clock.ts'
import type { clientReader } from '#kernel/http/auth/transport.ts'
import type { FrontRequest } from '#kernel/http/connections.ts'
import type { LinkMap } from '../store/link-map.ts'
import type { ShortHost } from '../store/short-hosts.ts'
import type { Headers } from '../visit/headers.ts'
import type { ShortLink } from '../visit/short-link.ts'
import { cut } from '../visit/visit.ts'
import { visitorOf } from '../visit/visitor.ts'
import * as views from './redirect-views.ts'
import type { ShortAnswer, ShortPage } from './short-page.ts'

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
    if (!isServed(link, host)) return views.unknownLink
    if (link.disabled) return views.disabledLink
    return views.preview(link.location + (link.tail ?? ''))
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
      if (path === '') return { route: 'short/', answer: views.start }
      if (path === 'robots.txt') return { route: 'short/robots.txt', answer: views.robots }
      if (path === 'favicon.ico') return { route: 'short/favicon.ico', answer: views.noIcon }
      return { route: 'short/unknown', answer: views.unknownLink }
    },
  }
}

/** A link is found under its account's own domains and under the service's. */
export const isServed = (link: ShortLink | undefined, { account }: ShortHost): link is ShortLink =>
  link !== undefined && (account === undefined || link.account === account)
