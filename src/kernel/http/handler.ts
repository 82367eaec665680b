import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Remark } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { Identities, Identity } from '../identities.ts'
import type { Limits, Standing } from '../limits/limits.ts'
import { may } from '../permissions.ts'
import type { Surroundings } from '../surroundings.ts'
import { send } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { replayable } from './idempotency.ts'
import { perform } from './operation.ts'
import { parameterNames } from './parameter-fields.ts'
import { gather, parameterReader } from './parameters.ts'
import type { TransportGuard } from './transport.ts'

/** A request that has been told whose it is, for the log. */
export type IdentifiedRequest = FastifyRequest & { identity?: Identity; remarks?: object }

/** What a request must pass before it may do anything. */
export interface Gate {
  guard: TransportGuard
  identities: Identities
  /** Absent where limits are switched off. */
  limits: Limits | undefined
}

/** What happens to a request for this endpoint: who asks, how often, may they, what for; then do it and answer. */
export function handler(endpoint: Endpoint, { guard, identities, limits }: Gate, surroundings: Surroundings) {
  const { method, path, params, needs, ownerOf } = endpoint
  const read = parameterReader(params, parameterNames(endpoint))
  if (ownerOf) {
    return async (request: IdentifiedRequest, reply: FastifyReply) => {
      guard(request.raw)
      const input = read(valuesOf(request))
      const accountId = await ownerOf(surroundings.database.shared, input as never)
      const asker = { accountId, ...anybody, remark: remarkOn(request) }
      return send(reply, await perform(surroundings, endpoint, asker, input, undefined))
    }
  }
  return async (request: IdentifiedRequest, reply: FastifyReply) => {
    guard(request.raw)
    const identified = identities.identify(request.headers.authorization)
    const identity = identified instanceof Promise ? await identified : identified
    request.identity = identity
    if (limits) await admit(limits, identity, reply)
    if (!may(identity.role, needs)) {
      throw new Refusal('forbidden', `The role ${identity.role} may not do this; it needs the permission to ${needs}.`)
    }
    const values = valuesOf(request)
    const key = method === 'POST' ? request.headers['idempotency-key'] : undefined
    const replay = replayable(key, `${method} ${path}`, values)
    const asker = { ...identity, remark: remarkOn(request) }
    const outcome = await perform(surroundings, endpoint, asker, read(values), replay)
    if (outcome.replayed) reply.header('idempotent-replayed', 'true')
    return send(reply, outcome)
  }
}

/** Who asks without credentials. */
const anybody = { userId: '', role: 'read' } as const

const remarkOn =
  (request: IdentifiedRequest): Remark =>
  (facts) => {
    request.remarks = { ...request.remarks, ...facts }
  }

const valuesOf = (request: FastifyRequest) =>
  gather({
    path: request.params as { [name: string]: string },
    query: queryOf(request.raw.url ?? ''),
    contentType: request.headers['content-type'],
    body: request.body as Buffer | undefined,
  })

async function admit(limits: Limits, { accountId, userId }: Identity, reply: FastifyReply) {
  const deciding = limits.admit(accountId, userId)
  const standing = deciding instanceof Promise ? await deciding : deciding
  reply.header('ratelimit-policy', limits.policy)
  reply.header('ratelimit', `"day";r=${standing.remaining};t=${standing.resetSeconds}`)
  if (!standing.admitted) {
    throw new Refusal('limited', limitSentence(standing), { retryAfter: standing.retryAfter ?? 1 })
  }
}

function limitSentence({ reason, retryAfter }: Standing): string {
  if (reason === 'day') {
    return `The daily limit of API calls is reached; it starts anew at midnight UTC, in ${retryAfter} seconds.`
  }
  return `Too many API calls in a short time; access is blocked for ${retryAfter} more seconds.`
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
