import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Remark } from '../context.ts'
import type { Surroundings } from '../surroundings.ts'
import type { ThreadTime } from '../thread/thread-time.ts'
import { inAnotherTurn } from '../thread/turn.ts'
import { send } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { type Gate, type IdentifiedRequest, strangersBytes } from './gate.ts'
import { replayable } from './idempotency.ts'
import { anybody, perform } from './operation.ts'
import { namesInLowerCase } from './parameter-fields.ts'
import { gather, parameterReader } from './parameters.ts'

/** What happens to a request for this endpoint: who asks, how often, may they, what for; then do it and answer. */
export function handler(endpoint: Endpoint, gate: Gate, surroundings: Surroundings) {
  const { method, base, path, params, needs, readsOnly, ownerOf } = endpoint
  const read = parameterReader(params, namesInLowerCase(endpoint))
  const { thread } = surroundings.database
  if (ownerOf) {
    return async (request: IdentifiedRequest, reply: FastifyReply) => {
      gate.pass(request)
      const input = read(valuesOf(request, await gate.body(request, reply, strangersBytes)))
      const accountId = await ownerOf(surroundings.database.forAnybody(''), input as never)
      const asker = { accountId, ...anybody, remark: remarkOn(request) }
      return send(reply, await perform(surroundings, endpoint, asker, input, undefined))
    }
  }
  return async (request: IdentifiedRequest, reply: FastifyReply) => {
    const identity = await gate.admit(request, reply, needs)
    const body = await gate.body(request, reply, maximumBytes)
    const inPiece = isLarge(body) ? pieceOf(thread, identity.accountId) : atOnce
    const values = await inPiece(() => valuesOf(request, body))
    const key = method === 'POST' && !readsOnly ? request.headers['idempotency-key'] : undefined
    const replay = await inPiece(() => replayable(key, `${method} ${base}${path}`, values))
    const input = await inPiece(() => read(values))
    const asker = { ...identity, remark: remarkOn(request) }
    const outcome = await perform(surroundings, endpoint, asker, input, replay)
    if (outcome.replayed) reply.header('idempotent-replayed', 'true')
    return send(reply, outcome)
  }
}

/** What the contract allows a call to say. */
const maximumBytes = 1024 * 1024
/** What is read at once, whoever sent it. */
const smallBytes = 64 * 1024

const isLarge = (body: Buffer | undefined) => body !== undefined && body.length > smallBytes

const atOnce = <Result>(work: () => Result) => work()

/** Does some work on the bill of an account, when it is its turn; afterwards others come first. */
const pieceOf =
  (thread: ThreadTime, accountId: string) =>
  <Result>(work: () => Result) =>
    thread.inTurn(accountId, async () => {
      await new Promise<void>((resolve) => inAnotherTurn(accountId, resolve))
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
