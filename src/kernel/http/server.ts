import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Listener } from '../database/listener.ts'
import { Refusal } from '../errors.ts'
import { openIdentities } from '../identities.ts'
import type { Limits } from '../limits/limits.ts'
import type { Log } from '../log.ts'
import type { Surroundings } from '../surroundings.ts'
import { asRefusal, errorBody, send, sendRefusal } from './answer.ts'
import { answerBrokenRequest } from './broken-request.ts'
import type { Endpoint } from './endpoint.ts'
import { addFiles, type FileRoute } from './file-route.ts'
import { type Front, serverBehind } from './front.ts'
import { handler, type IdentifiedRequest } from './handler.ts'
import { addIntakes, type IntakeRoute } from './intake-route.ts'
import type { HttpMetrics } from './metrics.ts'
import { addPages, type Page } from './page.ts'
import { methodsAt } from './paths.ts'
import { type TransportRules, transportGuard } from './transport.ts'

export interface ServerOptions extends Surroundings {
  listener: Listener
  endpoints: readonly Endpoint[]
  pages: readonly Page[]
  fileRoutes: readonly FileRoute[]
  intakes: readonly IntakeRoute[]
  /** Absent where limits are switched off. */
  limits: Limits | undefined
  log: Log
  metrics: HttpMetrics
  transport: TransportRules
  /** Whether clients are to take their next request elsewhere. */
  draining: () => boolean
  tls?: { cert: Buffer; key: Buffer } | undefined
  /** What is asked before the interface. */
  front?: Front | undefined
}

/** The HTTP face of the service: every endpoint under its base, every answer in the wire's own form. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { database, listener, clock, endpoints, limits } = options
  const server = openServer(options)
  observe(server, options)
  refuse(server, options)

  const identities = openIdentities(database, listener, clock)
  const gate = { guard: transportGuard(options.transport), identities, limits }
  server.decorateRequest('identity', undefined)
  server.decorateRequest('remarks', undefined)
  for (const endpoint of endpoints) {
    const url = endpoint.base + endpoint.path.replace(/\{(\w+)\}/g, ':$1')
    server.route({ method: endpoint.method, url, handler: handler(endpoint, gate, options) })
  }
  addPages(server, options.pages, gate)
  addFiles(server, options.fileRoutes, gate)
  addIntakes(server, options.intakes, gate)
  return server
}

const bodyLimit = 1024 * 1024
// Node would answer a request without a host in its own words.
const ownWords = { requireHostHeader: false }

function openServer({ tls, front }: ServerOptions): FastifyInstance {
  const server = fastify({
    ...(tls ? { https: { ...tls, ...ownWords } } : { http: ownWords }),
    ...(front && { serverFactory: serverBehind(front) }),
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
  return server
}

function requestId({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

/** One request id on every answer, one log line and one measurement for it. */
function observe(server: FastifyInstance, { draining, metrics, log }: ServerOptions) {
  server.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id)
    if (draining()) reply.header('connection', 'close')
    next(request.raw.httpVersion === '1.1' && !request.headers.host ? hostMissing : undefined)
  })
  server.addHook('onResponse', (request: IdentifiedRequest, reply, next) => {
    const { method, id, routeOptions, identity, remarks } = request
    const { statusCode: status, elapsedTime } = reply
    const route = routeOptions.url ?? 'unknown'
    metrics.observe(method, route, status, elapsedTime / 1000)
    const who = { account: identity?.accountId, user: identity?.userId }
    const ms = Math.round(elapsedTime * 10) / 10
    log.info({ requestId: id, ...who, method, route, status, ms, ...remarks }, 'request')
    next()
  })
}

/** Everything that is not a success: refusals, faults, unknown addresses and verbs. */
function refuse(server: FastifyInstance, { endpoints, log }: ServerOptions) {
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
    const allowed = methodsAt(endpoints, request.url)
    if (allowed.length === 0) return sendRefusal(reply, unknownPath)
    const refusal = new Refusal('wrongMethod', `${request.method} is not possible here; use ${allowed.join(' or ')}.`)
    return sendRefusal(reply.header('allow', allowed.join(', ')), refusal)
  })
}

const hostMissing = new Refusal('invalid', 'The request has no Host header.')
const unknownPath = new Refusal('missing', 'There is nothing at this address. See /docs for what there is.')
