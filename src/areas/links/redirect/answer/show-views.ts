import { performance } from 'node:perf_hooks'
import type { FrontRequest, FrontResponse } from '#kernel/http/connections.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import type { ShortAnswer } from './short-page.ts'

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
