import type { Clock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { openWriter } from '#kernel/database/writer.ts'
import { Refusal } from '#kernel/errors.ts'
import type { Front, FrontRequest, FrontResponse } from '#kernel/http/front.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import { clientReader, type TransportRules, transportGuard } from '#kernel/http/transport.ts'
import type { Log } from '#kernel/log.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { openClickIntake } from './click-intake.ts'
import { readHeaders } from './headers.ts'
import { openLinkMap } from './link-map.ts'
import * as views from './redirect-views.ts'
import { openShortHosts, type ShortHost } from './short-hosts.ts'
import type { ShortLink } from './short-link.ts'
import type { ShortAnswer, ShortPage } from './short-page.ts'
import { cut, openVisits, type Visit } from './visit.ts'
import { openVisitors, visitorOf } from './visitor.ts'

export interface RedirectorOptions {
  database: Database
  databaseUrl: string
  listener: Listener
  clock: Clock
  keyring: Keyring
  publicUrl: () => string
  shortUrl: () => string
  transport: TransportRules
  draining: () => boolean
  log: Log
  metrics: Metrics
  /** What the short hosts answer beside links. */
  pages: readonly ShortPage[]
  /** The process serves short links and nothing else, so a domain that is none of theirs is refused. */
  alone: boolean
}

export interface Redirector {
  readonly front: Front
  close(): Promise<void>
}

/** While one is on its way to the disk, the next is made ready. */
const commitsAtOnce = 2
const hashForm = /^[0-9A-Za-z]{8}$/
const previewForm = /^[0-9A-Za-z]{8}(\+|%2B)$/i
const healthPaths = new Set(['/healthz', '/readyz', '/metrics'])
const linkRoute = 'short/{hash}'

/** Answers short links in front of everything else: from memory, and not before the click is written down. */
export async function openRedirector(options: RedirectorOptions): Promise<Redirector> {
  const { database, databaseUrl, listener, clock, keyring, draining, log, metrics, alone } = options
  const hosts = await openShortHosts({
    ...options,
    report: (error) => log.warn({ err: error }, 'domains were not read'),
  })
  const links = openLinkMap({
    database,
    listener,
    report: (error) => log.warn({ err: error }, 'links were not read again'),
  })
  const visitOf = openVisits<FrontResponse>(
    clock,
    openVisitors(() => keyring.derive('visitors of short links')),
  )
  const clientOf = clientReader(options.transport.trustedProxies)
  const guard = transportGuard(options.transport)
  const pages = new Map(options.pages.map((page) => [page.path.slice(1), page]))

  const sentOn = metrics.observer('GET', linkRoute, 302)
  const sendOn = (click: Visit<FrontResponse>) => {
    const { destination, response, cookie } = click
    const { location, tail } = destination
    const to = tail === undefined ? location : location + click.id + tail
    // Names and values in turn: what is given so is written as it is.
    const headers = [
      'location',
      to,
      'cache-control',
      'private, no-store',
      'x-robots-tag',
      'noindex',
      'content-length',
      '0',
    ]
    if (cookie !== '') headers.push('set-cookie', cookie)
    if (draining()) headers.push('connection', 'close')
    response.writeHead(302, headers).end()
    const seconds = (performance.now() - click.since) / 1000
    if (click.method === 'GET') sentOn(seconds)
    else metrics.observe(click.method, linkRoute, 302, seconds)
  }
  const intake = openClickIntake<Visit<FrontResponse>>({
    database,
    log,
    writers: Array.from({ length: commitsAtOnce }, () => openWriter(databaseUrl)),
    answer: sendOn,
    early: metrics.counter('clicks_answered_early_total', 'Visitors sent on before their click was written.'),
    uncounted: metrics.counter('clicks_uncounted_total', 'Clicks that were given up and are not counted.'),
  })
  metrics.gauge('clicks_waiting', 'Clicks that are not written to the database yet.', intake.waiting)

  const show = (request: FrontRequest, response: FrontResponse, answer: ShortAnswer, route: string, since: number) => {
    const { status, headers, body } = answer
    const close = draining() && { connection: 'close' }
    const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, { ...headers, ...length, ...close })
    response.end(request.method === 'HEAD' ? undefined : body)
    metrics.observe(request.method ?? '', route, status, (performance.now() - since) / 1000)
  }

  const arrive = (
    request: FrontRequest,
    response: FrontResponse,
    host: ShortHost,
    link: ShortLink | undefined,
    since: number,
  ) => {
    if (!isServed(link, host)) return show(request, response, views.unknownLink, linkRoute, since)
    if (link.disabled) return show(request, response, views.disabledLink, linkRoute, since)
    const method = request.method as string
    const headers = readHeaders(request.headers)
    const click = visitOf(link, host, { method, response, since }, headers, clientOf(request))
    if (click.answered) sendOn(click)
    intake.add(click)
  }

  const showPreview = async (host: ShortHost, hash: string): Promise<ShortAnswer> => {
    const link = await links.find(hash)
    if (!isServed(link, host)) return views.unknownLink
    if (link.disabled) return views.disabledLink
    return views.preview(link.location + (link.tail ?? ''))
  }
  const showPage = (request: FrontRequest, host: ShortHost, page: ShortPage, query: string) => {
    const { cookie, userAgent, dnt, secGpc } = readHeaders(request.headers)
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
  /** Everything that is no link itself. */
  const beside = (request: FrontRequest, host: ShortHost, path: string, query: string) => {
    const page = pages.get(path)
    if (page) return { route: `short${page.path}`, answer: showPage(request, host, page, query) }
    if (previewForm.test(path)) return { route: 'short/{hash}+', answer: showPreview(host, path.slice(0, 8)) }
    if (path === '') return { route: 'short/', answer: views.start }
    if (path === 'robots.txt') return { route: 'short/robots.txt', answer: views.robots }
    if (path === 'favicon.ico') return { route: 'short/favicon.ico', answer: views.noIcon }
    return { route: 'short/unknown', answer: views.unknownLink }
  }

  const failed = (request: FrontRequest, response: FrontResponse, route: string, since: number, error: unknown) => {
    log.error({ err: error, route }, 'request failed')
    const isAway = error instanceof Refusal && error.kind === 'unavailable'
    if (!response.headersSent) show(request, response, isAway ? views.unavailable : views.fault, route, since)
  }

  const serve = (request: FrontRequest, response: FrontResponse, host: ShortHost, url: string) => {
    const since = performance.now()
    const { method } = request
    if (host.kind !== 'custom' && !passes(request)) return show(request, response, views.plainHttp, 'short', since)
    if (!url.startsWith(host.prefix)) return show(request, response, views.unknownLink, 'short/unknown', since)
    const end = url.indexOf('?')
    const path = url.slice(host.prefix.length, end < 0 ? url.length : end)
    const isLink = hashForm.test(path)
    if (method !== 'GET' && method !== 'HEAD') {
      return show(request, response, views.wrongMethod, isLink ? linkRoute : 'short/unknown', since)
    }
    if (isLink) {
      const link = links.find(path)
      if (!(link instanceof Promise)) return arrive(request, response, host, link, since)
      link
        .then((found) => arrive(request, response, host, found, since))
        .catch((error) => failed(request, response, linkRoute, since, error))
      return
    }
    const { route, answer } = beside(request, host, path, end < 0 ? '' : url.slice(end + 1))
    if (!(answer instanceof Promise)) return show(request, response, answer, route, since)
    answer
      .then((found) => show(request, response, found, route, since))
      .catch((error) => failed(request, response, route, since, error))
  }
  const passes = (request: FrontRequest): boolean => {
    try {
      guard(request)
      return true
    } catch {
      return false
    }
  }

  /** On a host that the interface has as well, which paths are ours. */
  const isOurs = (prefix: string, url: string): boolean => {
    if (!url.startsWith(prefix)) return false
    if (prefix !== '/') return true
    const path = url.slice(1).split('?')[0] ?? ''
    return hashForm.test(path) || previewForm.test(path) || pages.has(path)
  }

  return {
    front(request, response) {
      const header = request.headers.host
      if (header === undefined) return false
      const host = hosts.of(header)
      const url = request.url ?? '/'
      if (host.kind === 'own' && !isOurs(host.prefix, url)) return false
      if (host.kind === 'unknown') {
        if (!alone || healthPaths.has(url.split('?')[0] ?? '')) return false
        show(request, response, views.otherHost, 'short/other-host', performance.now())
        return true
      }
      serve(request, response, host, url)
      return true
    },
    async close() {
      hosts.close()
      await intake.close()
    },
  }
}

/** A link is found under its account's own domains and under the service's. */
const isServed = (link: ShortLink | undefined, { account }: ShortHost): link is ShortLink =>
  link !== undefined && (account === undefined || link.account === account)
