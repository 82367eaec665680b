import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Surroundings } from '../surroundings.ts'
import { send } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { type Gate, type IdentifiedRequest, strangersBytes } from './gate.ts'
import { replayable } from './idempotency.ts'
import { perform } from './operation.ts'
import { parameterNames } from './parameter-fields.ts'
import { gather, parameterReader } from './parameters.ts'

/** What happens to a request for this endpoint: who asks, how often, may they, what for; then do it and answer. */
export function handler(endpoint: Endpoint, gate: Gate, surroundings: Surroundings) {
  const { method, path, params, needs, ownerOf } = endpoint
  const read = parameterReader(params, parameterNames(endpoint))
  if (ownerOf) {
    return async (request: IdentifiedRequest, reply: FastifyReply) => {
      gate.pass(request)
      const input = read(valuesOf(request, await gate.body(request, reply, strangersBytes)))
      const accountId = await ownerOf(surroundings.database.shared, input as never)
      return send(reply, await perform(surroundings, endpoint, { accountId, ...anybody }, input, undefined))
    }
  }
  return async (request: IdentifiedRequest, reply: FastifyReply) => {
    const identity = await gate.admit(request, reply, needs)
    const values = valuesOf(request, await gate.body(request, reply, maximumBytes))
    const key = method === 'POST' ? request.headers['idempotency-key'] : undefined
    const replay = replayable(key, `${method} ${path}`, values)
    const outcome = await perform(surroundings, endpoint, identity, read(values), replay)
    if (outcome.replayed) reply.header('idempotent-replayed', 'true')
    return send(reply, outcome)
  }
}

/** What the contract allows a call to say. */
const maximumBytes = 1024 * 1024

/** Who asks without credentials. */
const anybody = { userId: '', role: 'read' } as const

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
