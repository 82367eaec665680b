import type { Readable } from 'node:stream'
import type { Deadline } from './deadline.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import type { Lanes } from './lanes.ts'
import { isRedirect, nextRequest, type OutboundRequest, outgoingHeaders } from './request.ts'
import { readTarget, type TargetRules } from './target.ts'

/** An answer whose headers are here and whose body is still to be read; destroying the body drops the connection. */
export interface OpenAnswer {
  status: number
  headers: Record<string, string>
  url: URL
  body: Readable
}

export interface Way {
  rules: TargetRules
  lanes: Lanes
}

/** Sends a request and follows as many redirects as it allows. */
export async function exchange(request: OutboundRequest, way: Way, deadline: Deadline): Promise<OpenAnswer> {
  const allowed = request.redirects ?? 0
  let current = request
  for (let hops = 0; ; hops += 1) {
    const answer = await ask(current, way, deadline)
    const { location } = answer.headers
    if (allowed === 0 || !isRedirect(answer.status) || location === undefined) return answer
    answer.body.destroy()
    if (hops === allowed) throw tooManyRedirects(answer.url, allowed)
    current = nextRequest(current, answer.url, readTarget(location, way.rules, answer.url), answer.status)
  }
}

async function ask(request: OutboundRequest, { rules, lanes }: Way, deadline: Deadline): Promise<OpenAnswer> {
  const url = readTarget(request.url, rules)
  const headers = outgoingHeaders(request.headers)
  const { client, leave } = await lanes.enter(url, deadline)
  try {
    const { method, body } = request
    const path = url.pathname + url.search
    const answer = await client.request({ method, path, headers, body, signal: deadline.signal, highWaterMark })
    // A body that was not read to its end leaves bytes in the connection that belong to nobody.
    answer.body.once('close', () => leave(answer.body.readableEnded))
    // Who reads the body hears of its errors; who does not read it must not crash the process.
    answer.body.on('error', () => {})
    return { status: answer.statusCode, headers: flat(answer.headers), url, body: answer.body }
  } catch (error) {
    leave(false)
    const failure = failureOf(error, url.host)
    // The host may have moved.
    if (failure.kind === 'connect' || failure.kind === 'tls') lanes.forget(url)
    throw failure
  }
}

const highWaterMark = 16_384

const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

const tooManyRedirects = (url: URL, allowed: number) =>
  new OutboundFailure(
    'protocol',
    `${url.host} redirects again after ${allowed} ${allowed === 1 ? 'redirect' : 'redirects'}.`,
  )
