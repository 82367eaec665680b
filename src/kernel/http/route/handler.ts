import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditEntry } from '../../audit-entry.ts'
import type { Actor } from '../../change.ts'
import type { Remark } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { type Expected, expectedOf } from '../../etag.ts'
import type { EventLoopTime } from '../../event-loop/event-loop-time.ts'
import { inLaterIteration } from '../../event-loop/event-loop-time.ts'
import type { Installation } from '../../installation.ts'
import { sessionCookie } from '../auth/authentication.ts'
import { type Arrival, type Guard, type IdentifiedRequest, unauthenticatedBytes } from '../auth/guard.ts'
import { replayable } from '../operation/idempotency.ts'
import { anonymous, answerOf, auditReader, perform } from '../operation/operation.ts'
import { hasBody } from '../request/body.ts'
import { namesInLowerCase } from '../request/parameter-fields.ts'
import { gather, parameterReader } from '../request/parameters.ts'
import { type Answer, interfaceHeaders, isWorthPacking, packed, send, takesGzip } from '../response/response.ts'
import type { StreamedAnswers } from '../response/streaming.ts'
import { type Endpoint, entryOf } from './endpoint.ts'
import { addRoute, addressesOf, shadowedMethods } from './route.ts'

/** Registers a route for every endpoint under its base. */
export function addEndpoints(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  gate: Guard,
  installation: Installation,
  streamed: StreamedAnswers,
) {
  for (const endpoint of endpoints) {
    const run = runnerOf(endpoint, installation, streamed)
    for (const { method, base, path } of addressesOf(endpoint))
      addRoute(server, gate, { method, path: base + path, entry: entryOf(endpoint), run })
  }
  for (const mistaken of shadowedMethods(endpoints.flatMap(addressesOf)))
    addRoute(server, gate, {
      ...mistaken,
      entry: { kind: 'public' },
      run: async ({ reply }) => reply.callNotFound(),
    })
}

/** Handles an admitted request: parses it, runs the operation and sends the response. */
function runnerOf(
  endpoint: Endpoint,
  installation: Installation,
  streamed: StreamedAnswers,
): (arrival: Arrival) => Promise<unknown> {
  const { method, base, path, params, readsOnly, ownerOf, openly } = endpoint
  const operation = `${method} ${base}${path}`
  const read = parameterReader(params, namesInLowerCase(endpoint))
  const auditEntryOf = auditReader(endpoint)
  const { clock, database } = installation
  const parse = (request: FastifyRequest, body: Buffer | undefined, key: string | string[] | undefined) => {
    const values = valuesOf(request, body)
    return { values, replay: replayable(key, operation, values), input: read(values) }
  }
  const parseInPieces = async (
    request: FastifyRequest,
    body: Buffer | undefined,
    key: string | string[] | undefined,
    inPiece: RunPiece,
  ) => {
    const values = await inPiece(() => valuesOf(request, body))
    const replay = await inPiece(() => replayable(key, operation, values))
    return { values, replay, input: await inPiece(() => read(values)) }
  }
  if (openly) {
    return async (arrival) => {
      const input = read(valuesOf(arrival.request, await arrival.body(unauthenticatedBytes)))
      const value = await openly(installation, arrival.visitor(), input as never)
      return sendResponse(arrival, streamed, '', await answerOf(installation, endpoint, '', value))
    }
  }
  if (ownerOf) {
    return async (arrival) => {
      const input = read(valuesOf(arrival.request, await arrival.body(unauthenticatedBytes)))
      const accountId = await ownerOf(database.forUnauthenticated(''), input as never)
      const actor = actorOf({ accountId, ...anonymous }, arrival, clock.now(), undefined)
      return sendResponse(arrival, streamed, accountId, await perform(installation, endpoint, actor, input, undefined))
    }
  }
  return async (arrival) => {
    const { request, reply, identity } = arrival
    if (!identity) throw new Error(`${operation} was entered by nobody.`)
    const body = hasBody(request.raw) ? await arrival.body(maximumBytes) : undefined
    const key = method === 'POST' && !readsOnly ? request.headers['idempotency-key'] : undefined
    const parsed = isLarge(body)
      ? await parseInPieces(request, body, key, pieceOf(database.thread, identity.accountId))
      : parse(request, body, key)
    const actor = actorOf(identity, arrival, clock.now(), auditEntryOf(parsed.values), expectedBy(request, endpoint))
    const outcome = await perform(installation, endpoint, actor, parsed.input, parsed.replay)
    if (outcome.replayed) reply.header('idempotent-replayed', 'true')
    return sendResponse(arrival, streamed, identity.accountId, outcome, base !== '/v2')
  }
}

/** A function that runs a piece of work, now or later. */
type RunPiece = <Result>(work: () => Result) => Promise<Result>

function sendResponse(
  { request, reply, client }: Arrival,
  streamed: StreamedAnswers,
  owner: string,
  { status, body, rest, tag, cookie }: Answer,
  isForConsole = false,
) {
  if (tag && isForConsole) reply.header('etag', tag)
  if (cookie) reply.header('set-cookie', sessionCookie(cookie, client().secure))
  const accepts = isForConsole ? request.headers['accept-encoding'] : undefined
  if (rest) {
    reply.code(status).headers(interfaceHeaders)
    return streamed.send(reply, owner, { body, rest }, { gzip: takesGzip(accepts) })
  }
  return isWorthPacking(body, accepts) ? sendPacked(reply, status, body) : send(reply, { status, body })
}

async function sendPacked(reply: FastifyReply, status: number, body: string) {
  const bytes = await packed(body)
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return send(reply, { status, body: bytes })
}

/** The contract itself has no conditional requests: there the last write wins. */
function expectedBy(
  { headers }: FastifyRequest,
  { method, base, readsOnly, modified }: Endpoint,
): Expected | undefined {
  if (method === 'GET' || readsOnly || base === '/v2') return undefined
  const expected = expectedOf(headers['if-match'])
  if (expected && !modified) throw invalid('This operation takes no If-Match.')
  return expected
}

/** The actor of a call and the details known about it. */
const actorOf = (
  { accountId, userId, role, via }: Pick<Actor, 'accountId' | 'userId' | 'role' | 'via'>,
  arrival: Arrival,
  now: Date,
  entry: AuditEntry | undefined,
  expected?: Expected | undefined,
): Actor => ({
  accountId,
  userId,
  role,
  via,
  now,
  visitor: arrival.visitor(),
  remark: remarkOn(arrival.request),
  auditEntry: entry,
  expected,
})

/** Maximum body size in the contract. */
const maximumBytes = 1024 * 1024
/** Bodies up to this size are parsed without waiting for the account's turn. */
const smallBytes = 64 * 1024

const isLarge = (body: Buffer | undefined) => body !== undefined && body.length > smallBytes

/** Runs work on the event loop share of an account, in its turn, and then yields to others. */
const pieceOf =
  (thread: EventLoopTime, accountId: string): RunPiece =>
  (work) =>
    thread.inTurn(accountId, async () => {
      await new Promise<void>((resolve) => inLaterIteration(accountId, resolve))
      const begun = performance.now()
      try {
        return work()
      } finally {
        thread.charge(accountId, performance.now() - begun)
      }
    })

const remarkOn =
  (request: IdentifiedRequest): Remark =>
  (facts) => {
    request.remarks = { ...request.remarks, ...facts }
  }

const valuesOf = (request: FastifyRequest, body: Buffer | undefined) =>
  gather({
    path: request.params as { [name: string]: string },
    query: queryOf(request.raw.url ?? ''),
    contentType: request.headers['content-type'],
    body,
  })

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
