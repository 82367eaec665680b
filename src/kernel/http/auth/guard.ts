import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Visitor } from '../../caller.ts'
import { forbidden, Refusal } from '../../errors.ts'
import type { EventLoopTime } from '../../event-loop/event-loop-time.ts'
import type { Identity } from '../../identities.ts'
import type { Decision, Limits } from '../../limits/limits.ts'
import { type Ability, may } from '../../permissions.ts'
import { openBodies } from '../request/body.ts'
import { type Authentication, openKeyThrottle, type SessionLimits, sessionToken } from './authentication.ts'
import {
  type Client,
  clientReader,
  type Hosts,
  isLocalClient,
  type OriginCheck,
  type TransportRules,
  transportGuard,
  unknownHost,
} from './transport.ts'

/** Access rule of a route; every route has one. */
export type Entry =
  /** Health checks of load balancers: over any transport, since the response only contains the process status. */
  | { readonly kind: 'probe' }
  /** The operator: this machine itself, or a client with the token. */
  | { readonly kind: 'operator'; readonly token: string | undefined }
  /** Public: credentials are ignored. */
  | { readonly kind: 'public' }
  /** Webhooks of networks: the signed body proves the sender, so it has to be read first, up to this many bytes. */
  | { readonly kind: 'push'; readonly bytes: number }
  /** The contract: API keys, never a cookie. */
  | { readonly kind: 'contract'; readonly needs: Ability }
  /** The console API: a session or an API key. */
  | { readonly kind: 'console'; readonly needs: Ability }
  /** An HTML page: the same if it declares `needs`; `ownForms` if it accepts only forms of the service itself. */
  | { readonly kind: 'page'; readonly needs?: Ability | undefined; readonly ownForms?: true | undefined }

/** Fields that any access rule may have. */
interface AnyEntry {
  readonly kind: Entry['kind']
  readonly needs?: Ability | undefined
  readonly token?: string | undefined
  readonly ownForms?: true | undefined
  readonly bytes?: number | undefined
}

/** A request with its identity and the path of its route, for the log. */
export type IdentifiedRequest = FastifyRequest & { identity?: Identity; remarks?: object; routePath?: string }

/** An admitted request. Fastify parses no bodies: they can only be read here, up to a limit. */
export interface Arrival {
  readonly request: IdentifiedRequest
  readonly reply: FastifyReply
  /** The authenticated caller on routes that declare `needs`. */
  readonly identity: Identity | undefined
  /** Unauthenticated callers are limited to a small body. */
  body(maximum: number): Promise<Buffer | undefined>
  /** The raw chunks, for bodies that are not parsed. */
  pieces(maximum: number): Promise<readonly Buffer[]>
  /** The client, as far as it can be trusted. */
  client(): Client
  visitor(): Visitor
  /** Whether the request has a session cookie, valid or not. */
  hasSessionCookie(): boolean
  /** Whether the client is this machine itself, using one of its own host names and no proxy. */
  isLocal(): boolean
}

/** Routes that declare `needs` always have an identity. */
export type ArrivalAt<At extends Entry> = At extends { readonly needs: Ability }
  ? Arrival & { readonly identity: Identity }
  : Arrival

/**
 * The access check of all routes: transport, origin, authentication, rate limit and permissions. Nearly always nothing has to be waited for:
 * then the request is admitted at once, because every wait costs a turn of the event loop.
 */
export interface Guard {
  enter<At extends Entry>(
    request: IdentifiedRequest,
    reply: FastifyReply,
    entry: At,
  ): ArrivalAt<At> | Promise<ArrivalAt<At>>
}

interface GuardOptions {
  transport: TransportRules
  callers: Authentication
  sites: OriginCheck
  hosts: Hosts
  /** Absent if rate limits are disabled. */
  limits: Limits | undefined
  sessionLimits: SessionLimits | undefined
  thread: EventLoopTime
}

/** The largest body of a request without credentials. */
export const unauthenticatedBytes = 32 * 1024

export function openGuard({ transport, callers, sites, hosts, limits, sessionLimits, thread }: GuardOptions): Guard {
  const guard = transportGuard(transport)
  const clientOf = clientReader(transport.trustedProxies)
  const bodies = openBodies()
  const wrongKeys = openKeyThrottle()

  const refuseStranger = async (request: FastifyRequest, error: unknown): Promise<never> => {
    if (error instanceof Refusal && error.kind === 'unauthenticated')
      await wrongKeys.hold(clientOf(request.raw).address)
    throw error
  }
  const identityOf = (request: IdentifiedRequest, entry: AnyEntry): Identity | Promise<Identity> => {
    const { raw } = request
    try {
      const found = entry.kind === 'contract' ? callers.byKey(raw) : callers.bySessionOrKey(raw, clientOf(raw).secure)
      return found instanceof Promise ? found.catch((error) => refuseStranger(request, error)) : found
    } catch (error) {
      return refuseStranger(request, error)
    }
  }
  const admit = (request: IdentifiedRequest, reply: FastifyReply, entry: AnyEntry, needs: Ability) => {
    const found = identityOf(request, entry)
    return found instanceof Promise
      ? found.then((identity) => admitIdentity(request, reply, entry, { identity, needs }))
      : admitIdentity(request, reply, entry, { identity: found, needs })
  }
  const admitIdentity = (
    request: IdentifiedRequest,
    reply: FastifyReply,
    entry: AnyEntry,
    { identity, needs }: { identity: Identity; needs: Ability },
  ): Promise<void> | undefined => {
    request.identity = identity
    if (identity.via.by === 'session') {
      refuseForged(request, entry, sites)
      if (sessionLimits) countSession(sessionLimits, identity, reply)
    } else if (limits) {
      const { accountId, userId } = identity
      const deciding = limits.admit(accountId, userId)
      if (deciding instanceof Promise)
        return deciding.then((decision) => {
          applyLimit(limits, decision, reply)
          return begin(identity, needs)
        })
      applyLimit(limits, deciding, reply)
    }
    return begin(identity, needs)
  }
  const begin = ({ role, accountId }: Identity, needs: Ability): Promise<void> | undefined => {
    if (!may(role, needs)) {
      const sentence = `The role ${role} may not do this; it needs the permission to ${needs}.`
      throw new Refusal('forbidden', sentence)
    }
    return thread.rest(accountId)
  }
  const pieces = async (
    request: IdentifiedRequest,
    reply: FastifyReply,
    { bytes: unauthenticatedLimit = unauthenticatedBytes }: AnyEntry,
    maximum: number,
  ) => {
    const owner = request.identity?.accountId
    const most = owner === undefined ? Math.min(maximum, unauthenticatedLimit) : maximum
    const taken = await bodies.read(request, reply, owner, most)
    const bytes = taken.reduce((sum, { length }) => sum + length, 0)
    if (owner !== undefined) thread.charge(owner, bytes * perByteMs)
    return taken
  }
  const arrivalOf = (request: IdentifiedRequest, reply: FastifyReply, entry: AnyEntry): Arrival => ({
    request,
    reply,
    identity: request.identity,
    async body(maximum) {
      const taken = await pieces(request, reply, entry, maximum)
      return taken.length > 1 ? Buffer.concat(taken) : taken[0]
    },
    pieces: (maximum) => pieces(request, reply, entry, maximum),
    client: () => clientOf(request.raw),
    visitor: () => ({
      address: clientOf(request.raw).address,
      agent: request.headers['user-agent']?.slice(0, longestAgent) ?? '',
    }),
    hasSessionCookie: () => sessionToken(request.headers.cookie, clientOf(request.raw).secure) !== undefined,
    isLocal: () => isLocalClient(request.raw, transport.trustedProxies) && hosts.isKnown(request.raw),
  })

  return {
    enter<At extends Entry>(request: IdentifiedRequest, reply: FastifyReply, at: At) {
      const entry: AnyEntry = at
      const { kind, needs, token } = entry
      if (kind !== 'probe' && kind !== 'operator') guard(request.raw)
      refuseOtherSites(request, entry, sites)
      const admitting = needs === undefined ? undefined : admit(request, reply, entry, needs)
      if (admitting) return admitting.then(() => arrivalOf(request, reply, entry) as ArrivalAt<At>)
      const arrival = arrivalOf(request, reply, entry)
      // A token authenticates the request by itself; without one the IP address is the only evidence, so the host name is checked as well.
      if (kind === 'operator' && token === undefined && !hosts.isKnown(request.raw)) throw unknownHost(request.raw)
      if (kind === 'operator' && !isOperator(arrival, token)) throw forbidden(operatorsOnly)
      return arrival as ArrivalAt<At>
    },
  }
}

const longestAgent = 300

/** Event loop time spent on receiving a body. */
const perByteMs = 1.5 / 2 ** 20

const harmless = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Runs before authentication: a browser may add stored credentials to any request that a page triggers. */
function refuseOtherSites({ method, raw }: FastifyRequest, { needs, ownForms }: AnyEntry, sites: OriginCheck) {
  const changes = !harmless.has(method)
  if (changes && sites.isElsewhere(raw)) throw forbidden(otherSite)
  if (changes && ownForms && !sites.isOwn(raw)) throw forbidden(otherSite)
  if (!changes && needs !== undefined && sites.isEmbedding(raw)) throw forbidden(otherSite)
}

/** Browsers attach cookies to every request, so a request with one must prove that it comes from the service's own page. */
function refuseForged({ method, raw }: FastifyRequest, { kind }: AnyEntry, sites: OriginCheck) {
  if (harmless.has(method)) {
    if (kind === 'console' && sites.isElsewhere(raw)) throw forbidden(otherSite)
    return
  }
  if (!sites.isOwn(raw)) throw forbidden(otherSite)
  if (kind === 'console' && raw.headers['x-chorus-console'] !== '1') throw forbidden(noConsole)
}

const otherSite =
  'A page of another site made the browser ask for this, so it is refused. Use the service’s own pages, or an API key from a program.'
const noConsole = 'With a session, a change needs the header x-chorus-console: 1.'
const operatorsOnly = 'Metrics are for this machine, or for who sends CHORUS_METRICS_TOKEN as a bearer token.'

function isOperator(arrival: Arrival, token: string | undefined): boolean {
  if (token === undefined) return arrival.isLocal()
  const given = Buffer.from(arrival.request.headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${token}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function applyLimit(limits: Limits, decision: Decision, reply: FastifyReply) {
  reply.header('ratelimit-policy', limits.policy)
  reply.header('ratelimit', `"day";r=${decision.remaining};t=${decision.resetSeconds}`)
  if (!decision.admitted) {
    throw new Refusal('limited', limitSentence(decision), { retryAfter: decision.retryAfter ?? 1 })
  }
}

function limitSentence({ reason, retryAfter }: Decision): string {
  if (reason === 'day') {
    return `The daily limit of API calls is reached; it starts anew at midnight UTC, in ${retryAfter} seconds.`
  }
  return `Too many API calls in a short time; access is blocked for ${retryAfter} more seconds.`
}

function countSession(limits: SessionLimits, { via }: Identity, reply: FastifyReply) {
  reply.header('ratelimit-policy', limits.policy)
  const wait = limits.admit(via.id)
  if (wait === undefined) return
  throw new Refusal('limited', `Too many calls of this session in a short time. Try again in ${wait} seconds.`, {
    retryAfter: wait,
  })
}
