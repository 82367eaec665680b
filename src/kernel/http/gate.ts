import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Identities, Identity } from '../identities.ts'
import type { Limits, Standing } from '../limits/limits.ts'
import { type Ability, may } from '../permissions.ts'
import type { ThreadTime } from '../thread/thread-time.ts'
import { openBodies } from './body.ts'
import { type Client, clientReader, type TransportRules, transportGuard } from './transport.ts'
import { openWrongKeys } from './wrong-keys.ts'

/** A request that has been told whose it is, for the log. */
export type IdentifiedRequest = FastifyRequest & { identity?: Identity; remarks?: object }

export interface GateOptions {
  transport: TransportRules
  identities: Identities
  /** Absent where limits are switched off. */
  limits: Limits | undefined
  thread: ThreadTime
}

/** The one entrance of every kind of route. The framework reads no body: whoever wants one asks here, after letting its sender in. */
export interface Gate {
  /** For what needs no credentials: lets in whoever came by a way one may come. */
  pass(request: FastifyRequest): void
  /** Who asks, once they may: the way they came, who they are, how often they ask, what their role may do. */
  admit(request: IdentifiedRequest, reply: FastifyReply, needs: Ability): Promise<Identity>
  /** The body, up to so many bytes; of a stranger only a small one is ever held. */
  body(request: IdentifiedRequest, reply: FastifyReply, maximum: number): Promise<Buffer | undefined>
  /** The same as it came, for what is not looked into. */
  pieces(request: IdentifiedRequest, reply: FastifyReply, maximum: number): Promise<readonly Buffer[]>
  /** Who is at the other end, as far as it can be believed. */
  clientOf(request: FastifyRequest): Client
}

/** The largest body of a request that tells no credentials. */
export const strangersBytes = 32 * 1024

export function openGate({ transport, identities, limits, thread }: GateOptions): Gate {
  const guard = transportGuard(transport)
  const clientOf = clientReader(transport.trustedProxies)
  const bodies = openBodies()
  const wrongKeys = openWrongKeys()
  const refuseKey = async (request: FastifyRequest, error: unknown): Promise<never> => {
    if (error instanceof Refusal && error.kind === 'unauthenticated')
      await wrongKeys.hold(clientOf(request.raw).address)
    throw error
  }
  const pieces = async (request: IdentifiedRequest, reply: FastifyReply, maximum: number) => {
    const owner = request.identity?.accountId
    const most = owner === undefined ? Math.min(maximum, strangersBytes) : maximum
    const taken = await bodies.read(request, reply, owner, most)
    const bytes = taken.reduce((sum, { length }) => sum + length, 0)
    if (owner !== undefined) thread.charge(owner, bytes * perByteMs)
    return taken
  }
  return {
    pass: (request) => guard(request.raw),
    async admit(request, reply, needs) {
      guard(request.raw)
      let identity: Identity
      try {
        const identified = identities.identify(request.headers.authorization)
        identity = identified instanceof Promise ? await identified : identified
      } catch (error) {
        return refuseKey(request, error)
      }
      request.identity = identity
      if (limits) await count(limits, identity, reply)
      if (!may(identity.role, needs)) {
        const sentence = `The role ${identity.role} may not do this; it needs the permission to ${needs}.`
        throw new Refusal('forbidden', sentence)
      }
      const resting = thread.rest(identity.accountId)
      if (resting) await resting
      return identity
    },
    async body(request, reply, maximum) {
      const taken = await pieces(request, reply, maximum)
      return taken.length > 1 ? Buffer.concat(taken) : taken[0]
    },
    pieces,
    clientOf: (request) => clientOf(request.raw),
  }
}

/** What it takes of the thread to take a body in. */
const perByteMs = 1.5 / 2 ** 20

async function count(limits: Limits, { accountId, userId }: Identity, reply: FastifyReply) {
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
