import { performance } from 'node:perf_hooks'
import type { Clock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { openWriter } from '#kernel/database/writer.ts'
import { Refusal } from '#kernel/errors.ts'
import { clientReader, type TransportRules, transportGuard } from '#kernel/http/auth/transport.ts'
import type { Front, FrontRequest, FrontResponse } from '#kernel/http/connections.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import type { Log } from '#kernel/log.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { openClickIntake } from './click-intake.ts'
import { type Headers, readHeaders } from './request-class.ts'
import * as views from './short-page-views.ts'
import { isServed, openPageSender, openPages, type ShortPage } from './short-page-views.ts'
import { openLinkMap } from './store/link-map.ts'
import { openShortHosts, type ShortHost } from './store/short-hosts.ts'
import type { ShortLink } from './store/short-link.ts'
import { openVisits, type Visit } from './visit.ts'

export interface RedirectorOptions extends SendingOptions {
  listener: Listener
  clock: Clock
  keyring: Keyring
  publicUrl: () => string
  shortUrl: () => string
  transport: TransportRules
  /** Pages of the short hosts besides links. */
  pages: readonly ShortPage[]
  /** The process serves short links only, so unknown domains are rejected. */
  alone: boolean
}

export interface Redirector {
  readonly front: Front
  close(): Promise<void>
}

const hashForm = /^[0-9A-Za-z]{8}$/
const healthPaths = new Set(['/healthz', '/readyz', '/metrics'])

/** Serves short links before all other routes: from memory, and only after the click is stored. */
export async function openRedirector(options: RedirectorOptions): Promise<Redirector> {
  const { database, listener, clock, keyring, draining, log, metrics, alone } = options
  const warn = (sentence: string) => (error: unknown) => log.warn({ err: error }, sentence)
  const hosts = await openShortHosts({ ...options, report: warn('domains were not read') })
  const links = openLinkMap({
    database,
    listener,
    report: warn('links were not read'),
    skipLink: (id, error) => skipRow(log, { kind: 'link', id }, error),
  })
  metrics.gauge('links_in_memory', 'Short links that are followed without asking the database.', links.count)
  const visitOf = openVisits<FrontResponse>(clock, () => keyring.derive('visitors of short links'))
  const clientOf = clientReader(options.transport.trustedProxies)
  const guard = transportGuard(options.transport)

  const { intake, sendOn } = openSending(options)
  const sendPage = openPageSender(draining, metrics)
  const pages = openPages({ clock, links, clientOf, pages: options.pages })

  const handle = (
    request: FrontRequest,
    response: FrontResponse,
    host: ShortHost,
    headers: Headers,
    link: ShortLink | undefined,
    since: number,
  ) => {
    if (!isServed(link, host)) return sendPage(request, response, views.unknownLink, linkRoute, since)
    if (link.disabled) return sendPage(request, response, views.disabledLink, linkRoute, since)
    const method = request.method as string
    const click = visitOf(link, host, { method, response, since }, headers, clientOf(request))
    if (click.answered) sendOn(click)
    intake.add(click)
  }

  const failed = (request: FrontRequest, response: FrontResponse, route: string, since: number, error: unknown) => {
    log.error({ err: error, route }, 'request failed')
    const isUnavailable = error instanceof Refusal && error.kind === 'unavailable'
    if (!response.headersSent)
      sendPage(request, response, isUnavailable ? views.unavailable : views.fault, route, since)
  }

  const serve = (request: FrontRequest, response: FrontResponse, host: ShortHost, headers: Headers, url: string) => {
    const since = performance.now()
    const { method } = request
    if (host.kind !== 'custom' && !passes(request)) return sendPage(request, response, views.plainHttp, 'short', since)
    if (!url.startsWith(host.prefix)) return sendPage(request, response, views.unknownLink, 'short/unknown', since)
    const end = url.indexOf('?')
    const path = url.slice(host.prefix.length, end < 0 ? url.length : end)
    const isLink = hashForm.test(path)
    if (method !== 'GET' && method !== 'HEAD') {
      return sendPage(request, response, views.wrongMethod, isLink ? linkRoute : 'short/unknown', since)
    }
    if (isLink) {
      const link = links.find(path)
      if (!(link instanceof Promise)) return handle(request, response, host, headers, link, since)
      link
        .then((found) => handle(request, response, host, headers, found, since))
        .catch((error) => failed(request, response, linkRoute, since, error))
      return
    }
    const { route, answer: respond } = pages.of(request, host, headers, path, end < 0 ? '' : url.slice(end + 1))
    if (!(respond instanceof Promise)) return sendPage(request, response, respond, route, since)
    respond
      .then((found) => sendPage(request, response, found, route, since))
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

  /** Paths of short links on a host shared with the API. */
  const isOurs = (prefix: string, url: string): boolean => {
    if (!url.startsWith(prefix)) return false
    if (prefix !== '/') return true
    const path = url.slice(1).split('?')[0] ?? ''
    return hashForm.test(path) || pages.has(path)
  }

  return {
    front(request, response) {
      const headers = readHeaders(request.rawHeaders)
      if (headers.host === undefined) return false
      const host = hosts.of(headers.host)
      const url = request.url ?? '/'
      if (host.kind === 'own' && !isOurs(host.prefix, url)) return false
      if (host.kind === 'unknown') {
        if (!alone || healthPaths.has(url.split('?')[0] ?? '')) return false
        sendPage(request, response, views.otherHost, 'short/other-host', performance.now())
        return true
      }
      serve(request, response, host, headers, url)
      return true
    },
    async close() {
      hosts.close()
      links.close()
      await intake.close()
    },
  }
}

interface SendingOptions {
  database: Database
  databaseUrl: string
  draining: () => boolean
  log: Log
  metrics: Metrics
}

/** While one is being committed, the next is prepared. */
const commitsAtOnce = 2
const linkRoute = 'short/{hash}'

/** Redirects visitors once their clicks are stored. */
function openSending({ database, databaseUrl, draining, log, metrics }: SendingOptions) {
  const sentOn = metrics.observer('GET', linkRoute, 302)
  const sendOn = (click: Visit<FrontResponse>) => {
    const { destination, response, cookie } = click
    const { location, tail } = destination
    const to = tail === undefined ? location : location + click.id + tail
    // Raw header list: written unchanged.
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
  return { intake, sendOn }
}
