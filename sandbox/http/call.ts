import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '../behaviour/faults.ts'
import type { Network } from '../state/rows.ts'
import type { World } from '../state/world.ts'

export interface UploadedFile {
  bytes: Buffer
  type: string
  name: string
}

/** One request, read. */
export interface Call {
  world: World
  method: string
  /** With the network's prefix before what the network itself would see. */
  path: string
  /** The network's host that was called, where the caller named one. */
  host?: string
  /** Scheme and host the caller used, so that addresses in answers lead back here. */
  origin: string
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** Query and body together; the body wins. */
  fields: Record<string, unknown>
  files: Record<string, UploadedFile>
  raw: Buffer
  operation: Operation
  /** A planned `not-ready` fault: whatever is asked for is still being worked on. */
  notReady: boolean
  /** Go out with the answer, also with a refusal. */
  answerHeaders: Record<string, string>
  version?: string
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Thrown where a rule is broken; holds the network's own words. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

export interface Route {
  method: string
  path: string
  operation: Operation | ((call: Call) => Operation)
  handle(call: Call): Answer | Promise<Answer>
}

/** The answers a network gives to planned faults, in its own form. */
export interface FaultAnswers {
  rateLimit(call: Call): Answer
  serverError(call: Call): Answer
  tokenExpired(call: Call): Answer
  tokenRevoked(call: Call): Answer
  duplicate(call: Call): Answer
  notReady(call: Call): Answer
  unknownPath(call: Call): Answer
}

export interface NetworkApi {
  network: Network
  routes: Route[]
  answers: FaultAnswers
  /** Rewrites the path before it is matched: versions, doubled prefixes. */
  locate?(path: string, call: Call): string
  /** Version checks and rate limits. */
  enter?(call: Call, route: Route): void
  /** Puts an answer on the bill of a network that charges for calls. */
  bill?(call: Call, route: Route, answer: Answer): void
  /** Whom the call is about, as far as it can be told before it is served. */
  profileOf(call: Call): string | undefined
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

export function html(body: string, status = 200): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

export function redirect(to: string): Answer {
  return { status: 302, headers: { location: to } }
}
