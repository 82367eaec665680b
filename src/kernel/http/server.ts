import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { type Identities, type Identity, openIdentities } from '../identities.ts'
import type { Limits, Standing } from '../limits/limits.ts'
import type { Log } from '../log.ts'
import { may } from '../permissions.ts'
import { asRefusal, errorBody, send, sendRefusal } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { replayable } from './idempotency.ts'
import type { HttpMetrics } from './metrics.ts'
import { perform, type Surroundings } from './operation.ts'
import { parameterNames } from './parameter-fields.ts'
import { gather, parameterReader } from './parameters.ts'
import { methodsAt } from './paths.ts'
import { type TransportRules, transportGuard } from './transport.ts'

export interface ServerOptions extends Surroundings {
  endpoints: readonly Endpoint[]
  /** Absent where limits are switched off. */
  limits: Limits | undefined
  log: Log
  metrics: HttpMetrics
  transport: TransportRules
  /** Whether clients are to take their next request elsewhere. */
  draining: () => boolean
  tls?: { cert: Buffer; key: Buffer } | undefined
}

const bodyLimit = 1024 * 1024

/** The HTTP face of the service: the endpoints under /v2, every answer in the wire's own form. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { endpoints, log, metrics, tls } = options
  const server = fastify({
    ...(tls && { https: tls }),
    // Node would answer a request without a host in its own words.
    http: { requireHostHeader: false },
    bodyLimit,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestId,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500, querystringParser: () => ({}) },
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => sendRefusal(reply, unknownPath),
    clientErrorHandler: answerBrokenRequest,
  } as object) as FastifyInstance
  // The contract takes parameters in the body on every verb, a GET included.
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  server.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id)
    if (options.draining()) reply.header('connection', 'close')
    next(request.raw.httpVersion === '1.1' && !request.headers.host ? hostMissing : undefined)
  })
  server.addHook('onResponse', (request, reply, next) => {
    const { method, id, routeOptions, identity } = request as FastifyRequest & { identity?: Identity }
    const route = routeOptions.url ?? 'unknown'
    metrics.observe(method, route, reply.statusCode, reply.elapsedTime / 1000)
    log.info(
      {
        requestId: id,
        account: identity?.accountId,
        user: identity?.userId,
        method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    )
    next()
  })
  server.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error)
    if (!refusal || refusal.kind === 'unavailable')
      log.error({ requestId: request.id, err: refusal?.cause ?? error }, 'request failed')
    if (refusal) return sendRefusal(reply, refusal)
    return send(reply, {
      status: 500,
      body: errorBody(`Something went wrong in the service. Tell its operator the request id ${request.id}.`),
    })
  })
  server.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(endpoints, request.url)
    if (allowed.length === 0) return sendRefusal(reply, unknownPath)
    const refusal = new Refusal('wrongMethod', `${request.method} is not possible here; use ${allowed.join(' or ')}.`)
    return sendRefusal(reply.header('allow', allowed.join(', ')), refusal)
  })

  server.decorateRequest('identity', undefined)
  const identities = openIdentities(options.database, options.listener, options.clock)
  const guard = transportGuard(options.transport)
  for (const endpoint of endpoints) {
    server.route({
      method: endpoint.method,
      url: `/v2${endpoint.path.replace(/\{(\w+)\}/g, ':$1')}`,
      handler: handler(endpoint, options, identities, guard),
    })
  }
  return server
}

const hostMissing = new Refusal('invalid', 'The request has no Host header.')
const unknownPath = new Refusal('missing', 'There is nothing at this address. See /docs for what there is.')

function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

function handler(
  endpoint: Endpoint,
  options: ServerOptions,
  identities: Identities,
  guard: ReturnType<typeof transportGuard>,
) {
  const { method, path, params, needs } = endpoint
  const read = parameterReader(params, parameterNames(endpoint))
  return async (request: FastifyRequest, reply: FastifyReply) => {
    guard(request.raw)
    const identified = identities.identify(request.headers.authorization)
    const identity = identified instanceof Promise ? await identified : identified
    ;(request as FastifyRequest & { identity?: Identity }).identity = identity
    if (options.limits) await admit(options.limits, identity, reply)
    if (!may(identity.role, needs)) {
      throw new Refusal('forbidden', `The role ${identity.role} may not do this; it needs the permission to ${needs}.`)
    }
    const url = request.raw.url ?? ''
    const query = url.indexOf('?')
    const values = gather({
      path: request.params as { [name: string]: string },
      query: query < 0 ? '' : url.slice(query + 1),
      contentType: request.headers['content-type'],
      body: request.body as Buffer | undefined,
    })
    const replay =
      method === 'POST' ? replayable(request.headers['idempotency-key'], `${method} ${path}`, values) : undefined
    const outcome = await perform(options, endpoint, identity, read(values), replay)
    if (outcome.replayed) reply.header('idempotent-replayed', 'true')
    return send(reply, outcome)
  }
}

async function admit(limits: Limits, { accountId, userId }: Identity, reply: FastifyReply) {
  const deciding = limits.admit(accountId, userId)
  const standing = deciding instanceof Promise ? await deciding : deciding
  reply.header('ratelimit-policy', limits.policy)
  reply.header('ratelimit', `"day";r=${standing.remaining};t=${standing.resetSeconds}`)
  if (!standing.admitted)
    throw new Refusal('limited', limitSentence(standing), { retryAfter: standing.retryAfter ?? 1 })
}

function limitSentence({ reason, retryAfter }: Standing): string {
  if (reason === 'day')
    return `The daily limit of API calls is reached; it starts anew at midnight UTC, in ${retryAfter} seconds.`
  return `Too many API calls in a short time; access is blocked for ${retryAfter} more seconds.`
}

/** What Node's parser refuses never reaches a route: answer in the wire's form all the same, then hang up. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return socket.destroy()
  const [status, message] = brokenRequests[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.']
  const body = errorBody(message)
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const brokenRequests: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}
