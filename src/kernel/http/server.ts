import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Identities, Identity } from '../identities.ts'
import type { Installation } from '../installation.ts'
import type { Limits } from '../limits/limits.ts'
import type { Log } from '../log.ts'
import { openAuthentication, openSessionLimits } from './auth/authentication.ts'
import { type Guard, type IdentifiedRequest, openGuard } from './auth/guard.ts'
import { clientReader, openHosts, openOriginCheck, type TransportRules } from './auth/transport.ts'
import { brokenRequests, closeIfUnread, type Front, serverBehind } from './connections.ts'
import type { HttpMetrics } from './metrics.ts'
import { asRefusal, errorBody, send, sendRefusal } from './response/response.ts'
import { openStreamedAnswers } from './response/streaming.ts'
import { addDownloads, type DownloadRoute } from './route/download-route.ts'
import type { Endpoint } from './route/endpoint.ts'
import { addFiles, type FileRoute } from './route/file-route.ts'
import { addEndpoints } from './route/handler.ts'
import { addIntakes, type IntakeRoute } from './route/intake-route.ts'
import { addPages, type Page } from './route/page.ts'
import { addPushes, type PushRoute } from './route/push-route.ts'
import { addressesOf, methodsAt } from './route/route.ts'
import { addStreams, type StreamRoute } from './route/stream-route.ts'

export interface ServerOptions extends Installation {
  endpoints: readonly Endpoint[]
  pages: readonly Page[]
  fileRoutes: readonly FileRoute[]
  downloads: readonly DownloadRoute[]
  intakes: readonly IntakeRoute[]
  streams: readonly StreamRoute[]
  pushes: readonly PushRoute[]
  /** Identities by API key and by session. */
  keys: Identities
  sessions: Identities
  /** Absent if rate limits are disabled. */
  limits: Limits | undefined
  log: Log
  metrics: HttpMetrics
  transport: TransportRules
  /** IP address or host name from the settings. */
  bindAddress: string
  /** Whether clients should send their next request to another process. */
  draining: () => boolean
  tls?: { cert: Buffer; key: Buffer } | undefined
  /** Called before Fastify. */
  front?: Front | undefined
}

/** The HTTP server: every endpoint under its base, every response in the API's format. */
export function buildServer(options: ServerOptions): { server: FastifyInstance; gate: Guard } {
  const { database, clock, endpoints, limits, transport } = options
  const { server, isUnexpected } = openServer(options)
  observe(server, isUnexpected, options)
  refuse(server, options)

  const gate = openGuard({
    transport,
    limits,
    thread: database.thread,
    callers: openAuthentication(options.keys, options.sessions),
    sites: openOriginCheck(options.publicUrl),
    hosts: openHosts(options.publicUrl, options.bindAddress),
    sessionLimits: limits && openSessionLimits(clock),
  })
  server.decorateRequest('identity', undefined)
  server.decorateRequest('remarks', undefined)
  server.decorateRequest('routePath', undefined)
  const streamed = openStreamedAnswers(database.thread, options.log)
  addEndpoints(server, endpoints, gate, options, streamed)
  addPages(server, options.pages, gate)
  addFiles(server, options.fileRoutes, gate)
  addDownloads(server, options.downloads, gate, streamed)
  addIntakes(server, options.intakes, gate)
  addStreams(server, options.streams, gate)
  addPushes(server, options.pushes, gate)
  return { server, gate }
}

// By default Node would send its own response to a request without a host, and check for late requests only every 30 seconds.
const ownRules = { requireHostHeader: false, connectionsCheckingInterval: 5_000 }

function openServer({ tls, front, log }: ServerOptions) {
  const server = fastify({
    ...(tls ? { https: { ...tls, ...ownRules } } : { http: ownRules }),
    ...(front && { serverFactory: serverBehind(front) }),
    // No plugin here loads asynchronously, so a timer per route would be wasted.
    pluginTimeout: 0,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestId,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500, querystringParser: () => ({}) },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendRefusal(reply.headers({ 'x-request-id': request.id, connection: 'close' }), unknownPath),
    clientErrorHandler: brokenRequests(log),
  } as object) as FastifyInstance
  // For all methods, only the guard reads the body.
  for (const method of server.supportedMethods) server.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  // 100 Continue is sent only to admitted requests.
  server.server.on('checkContinue', (...exchange) => server.server.emit('request', ...exchange))
  // Any other expectation is refused without a 100 Continue.
  const unexpected = new WeakSet<IncomingMessage>()
  server.server.on('checkExpectation', (request, response) => {
    unexpected.add(request)
    server.routing(request, response)
  })
  return { server, isUnexpected: (request: IncomingMessage) => unexpected.has(request) }
}

function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

/** Adds a request id to every response, one log line and one measurement. */
function observe(
  server: FastifyInstance,
  isUnexpected: (request: IncomingMessage) => boolean,
  { draining, metrics, log, transport }: ServerOptions,
) {
  const clientOf = clientReader(transport.trustedProxies)
  server.addHook('onRequest', (request, reply, next) => {
    const { raw } = request
    reply.header('x-request-id', request.id)
    // Browsers ignore it over plain HTTP, where a man in the middle could have added it.
    if (clientOf(raw).secure) reply.header('strict-transport-security', oneYear)
    if (draining()) reply.header('connection', 'close')
    if (raw.httpVersion === '1.1' && !request.headers.host) next(hostMissing)
    else next(isUnexpected(raw) ? expectationFailed : undefined)
  })
  server.addHook('onSend', (request, reply, _payload, next) => {
    closeIfUnread(request, reply)
    next()
  })
  server.addHook('onResponse', (request: IdentifiedRequest, reply, next) => {
    const { method, id, identity, remarks } = request
    const { statusCode: status, elapsedTime } = reply
    // Fastify builds its route options anew at every access.
    const route = request.routePath ?? request.routeOptions.url ?? 'unknown'
    metrics.observe(method, route, status, elapsedTime / 1000)
    log.request({
      requestId: id,
      account: identity?.accountId,
      user: identity?.userId,
      session: sessionOf(identity),
      method,
      route,
      status,
      ms: Math.round(elapsedTime * 10) / 10,
      remarks,
    })
    next()
  })
}

const sessionOf = (identity: Identity | undefined) => (identity?.via.by === 'session' ? identity.via.id : undefined)

/** All error responses: refusals, internal errors, unknown paths and methods. */
function refuse(server: FastifyInstance, { endpoints, streams, downloads, log }: ServerOptions) {
  const routes = [
    ...endpoints.flatMap(addressesOf),
    ...[...streams, ...downloads].map(({ path }) => ({ method: 'GET', base: '/app/api', path })),
  ]
  server.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error)
    if (!refusal || refusal.kind === 'unavailable') {
      log.error({ requestId: request.id, err: refusal?.cause ?? error }, 'request failed')
    }
    if (refusal) return sendRefusal(reply, refusal)
    const sentence = `Something went wrong in the service. Tell its operator the request id ${request.id}.`
    return send(reply, { status: 500, body: errorBody(sentence) })
  })
  server.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(routes, request.url)
    if (allowed.length === 0) return sendRefusal(reply, unknownPath)
    const refusal = new Refusal('wrongMethod', `${request.method} is not possible here; use ${allowed.join(' or ')}.`)
    return sendRefusal(reply.header('allow', allowed.join(', ')), refusal)
  })
}

const oneYear = `max-age=${365 * 24 * 60 * 60}`
const expectationFailed = new Refusal('unexpected', 'The only expectation that can be met is Expect: 100-continue.')
const hostMissing = new Refusal('invalid', 'The request has no Host header.')
const unknownPath = new Refusal('missing', 'There is nothing at this address. See /docs for what there is.')
