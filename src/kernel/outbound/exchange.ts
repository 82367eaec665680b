import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type Collected, collect, flat } from './collect.ts'
import type { Deadline } from './deadline.ts'
import { failureOf, OutboundFailure } from './failure.ts'
import type { Lanes } from './lanes.ts'
import { isRedirect, nextRequest, type OutboundRequest, outgoingHeaders } from './request.ts'
import { readLink } from './target.ts'

/** Where an answer came from, and what it said before its body. */
interface Head {
  status: number
  headers: Record<string, string>
  url: URL
}

/** An answer whose headers are here and whose body is still to be read; destroying the body drops the connection. */
export interface OpenAnswer extends Head {
  body: Readable
}

export interface ShortAnswer extends Head, Collected {}

/** Asks once. */
type Ask<Answer> = (request: OutboundRequest, url: URL, lanes: Lanes, deadline: Deadline) => Promise<Answer>

/** Asks and follows as many redirects as the request allows. */
export async function follow<Answer extends Head>(
  ask: Ask<Answer>,
  request: OutboundRequest,
  url: URL,
  lanes: Lanes,
  deadline: Deadline,
): Promise<Answer> {
  const allowed = request.redirects ?? 0
  let current = request
  let at = url
  for (let hops = 0; ; hops += 1) {
    const answer = await ask(current, at, lanes, deadline)
    const { location } = answer.headers
    if (allowed === 0 || !isRedirect(answer.status) || location === undefined) return answer
    if ('body' in answer) drop(answer.body)
    if (hops === allowed) throw tooManyRedirects(answer.url, allowed)
    at = readLink(location, answer.url)
    current = nextRequest(current, answer.url, at, answer.status)
  }
}

/** Keeps the beginning of the answer. */
export const askShort: Ask<ShortAnswer> = async (request, url, lanes, deadline) => {
  const headers = outgoingHeaders(request)
  const entering = lanes.enter(url, deadline)
  const turn = entering instanceof Promise ? await entering : entering
  try {
    const { method, body: sent = null } = request
    const options = {
      method,
      path: url.pathname + url.search,
      headers,
      body: sent as Dispatcher.DispatchOptions['body'],
    }
    const { status, headers: got, body, truncated } = await collect(turn.client, options, maximumOf(request), deadline)
    turn.leave(!truncated)
    return { status, headers: got, body, truncated, url }
  } catch (error) {
    turn.leave(false)
    throw explain(error, url, lanes, deadline)
  }
}

/** Gives the answer as soon as its headers are here. */
export const askOpen: Ask<OpenAnswer> = async (request, url, lanes, deadline) => {
  const headers = outgoingHeaders(request)
  const entering = lanes.enter(url, deadline)
  const turn = entering instanceof Promise ? await entering : entering
  try {
    const { method, body } = request
    const path = url.pathname + url.search
    const { signal } = deadline
    deadline.sent = true
    const answer = await turn.client.request({ method, path, headers, body: body as Readable, signal, highWaterMark })
    // A body that was not read to its end leaves bytes in the connection that belong to nobody.
    answer.body.once('close', () => turn.leave(answer.body.readableEnded))
    // Who reads the body hears of its errors; who does not read it must not crash the process.
    answer.body.on('error', () => {})
    return { status: answer.statusCode, headers: flat(answer.headers), url, body: answer.body }
  } catch (error) {
    turn.leave(false)
    throw explain(error, url, lanes, deadline)
  }
}

function explain(error: unknown, url: URL, lanes: Lanes, { sent }: Deadline): OutboundFailure {
  const failure = failureOf(error, url.host)
  failure.sent = sent
  // The host may have moved.
  if (failure.kind === 'connect' || failure.kind === 'tls') lanes.forget(url)
  return failure
}

const drop = (body: unknown) => (body as Partial<Readable>).destroy?.()

const maximumOf = ({ maximumBytes = 16_384 }: OutboundRequest) => maximumBytes

const highWaterMark = 16_384

const tooManyRedirects = (url: URL, allowed: number) =>
  new OutboundFailure(
    'protocol',
    `${url.host} redirects again after ${allowed} ${allowed === 1 ? 'redirect' : 'redirects'}.`,
  )
