import { performance } from 'node:perf_hooks'
import type { Database } from '#kernel/database/database.ts'
import { openWriter } from '#kernel/database/writer.ts'
import type { FrontResponse } from '#kernel/http/connections.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import type { Log } from '#kernel/log.ts'
import { openClickIntake } from '../intake/click-intake.ts'
import type { Visit } from '../visit/visit.ts'

export interface SendingOptions {
  database: Database
  databaseUrl: string
  draining: () => boolean
  log: Log
  metrics: Metrics
}

/** While one is being committed, the next is prepared. */
const commitsAtOnce = 2
export const linkRoute = 'short/{hash}'

/** Redirects visitors once their clicks are stored. */
export function openSending({ database, databaseUrl, draining, log, metrics }: SendingOptions) {
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
