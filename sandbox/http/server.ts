import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../behaviour/faults.ts'
import { isControl, serveControl } from '../control/control.ts'
import { isCrm, serveCrm } from '../crm/crm.ts'
import { facebook } from '../facebook/api.ts'
import { instagram } from '../instagram/api.ts'
import { linkedin } from '../linkedin/api.ts'
import type { SandboxState } from '../state/state.ts'
import { tiktok } from '../tiktok/api.ts'
import { twitter } from '../x/api.ts'
import { youtube } from '../youtube/api.ts'
import { servePage } from './pages.ts'
import { type ApiRequest, readBody } from './request.ts'
import { ApiError, type ApiResponse, json } from './response.ts'
import { type FaultResponses, matchRoute, type NetworkApi, splitHost, wrongHostResponse } from './router.ts'

/** Serves all networks on one port; `bindAddress` is the address it listens on. */
export function sandboxServer(state: SandboxState, token: string, bindAddress: string): Server {
  return createServer((incoming, response) => {
    if (!isKnownHost(incoming, bindAddress)) return send(response, unknownHostResponse)
    serve(state, token, incoming).then(
      (result) => (result === 'lost' ? incoming.socket.resetAndDestroy() : send(response, result)),
      (error: unknown) => send(response, json({ error: `The sandbox itself failed: ${error}` }, 500)),
    )
  })
}

/**
 * Whether the Host header names this machine. The sandbox has no authentication, so without this check a web page could use
 * DNS rebinding to read and write everything.
 */
function isKnownHost({ headers: { host = '' }, socket }: IncomingMessage, bindAddress: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/:\d{0,5}$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  const isLoopback =
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  const local = (socket.localAddress ?? '').replace('::ffff:', '')
  return name === '' || isLoopback || name === local || name === bindAddress.toLowerCase()
}

const unknownHostResponse = json({ error: 'The sandbox is reached as localhost or by the address it listens on.' }, 421)

async function serve(state: SandboxState, token: string, incoming: IncomingMessage): Promise<ApiResponse | 'lost'> {
  const request = await readRequest(state, incoming)
  if (isControl(request)) return serveControl(request, token)
  const page = servePage(request)
  if (page) return page
  const found = apiFor(request)
  const isOfCrm = isCrm(request)
  if (!found && !isOfCrm) return json({ error: `Nothing is served under ${request.path}.` }, 404)
  const [from, to] = state.latency
  const half = (from + Math.random() * (to - from)) / 2
  try {
    if (half > 0) await sleep(half)
    const response = found ? await serveApi(request, found) : await serveCrm(request)
    if (half > 0) await sleep(half)
    return response
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...error.response, headers: { ...request.responseHeaders, ...error.response.headers } }
  }
}

async function readRequest(state: SandboxState, incoming: IncomingMessage): Promise<ApiRequest> {
  const forwarded = incoming.headers['x-forwarded-proto']
  const origin = `${typeof forwarded === 'string' ? forwarded : 'http'}://${incoming.headers.host ?? '127.0.0.1'}`
  // Split by hand: URL would normalize dots and break LinkedIn's parenthesized keys.
  const [path = '/', search = ''] = (incoming.url ?? '/').split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  const body = await readBody(incoming)
  return {
    state,
    method: incoming.method ?? 'GET',
    ...splitHost(path),
    origin,
    params: {},
    query,
    headers: incoming.headers,
    fields: { ...Object.fromEntries(query), ...body.fields },
    files: body.files,
    raw: body.raw,
    operation: 'profile',
    notReady: false,
    responseHeaders: {},
  }
}

function send(response: ServerResponse, { status, headers, body }: ApiResponse) {
  // With the length, header and body are sent in one write.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...length, ...headers })
  response.end(body)
}

const apis: Record<string, NetworkApi> = { facebook, instagram, linkedin, x: twitter, youtube, tiktok, hub: youtube }

interface MatchedApi {
  api: NetworkApi
  path: string
}

/** The network of a path, and the path without its prefix. */
function apiFor(request: ApiRequest): MatchedApi | undefined {
  const [, prefix = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(request.path) ?? []
  const api = apis[prefix]
  if (!api) return undefined
  return api === facebook && isInstagramNode(request, path) ? { api: instagram, path } : { api, path }
}

/** Handles a request and counts it, successful or not. */
async function serveApi(request: ApiRequest, found: MatchedApi): Promise<ApiResponse | 'lost'> {
  const { usage } = request.state
  const { network } = found.api
  try {
    const response = await serveRoute(request, found)
    usage.countRequest(network, response !== 'lost' && response.status >= 400)
    return response
  } catch (error) {
    if (error instanceof ApiError) usage.countRequest(network, true)
    throw error
  }
}

/** Routes a request, applying planned faults. */
async function serveRoute(request: ApiRequest, { api, path }: MatchedApi): Promise<ApiResponse | 'lost'> {
  const wrongHost = wrongHostResponse(request, path, api.faultResponses)
  if (wrongHost) return wrongHost
  const located = api.rewritePath?.(path, request) ?? path
  const match = matchRoute(api.routes, request.method, located)
  if (!match) return api.faultResponses.unknownPath(request)
  const { route, params } = match
  request.params = params
  request.operation = typeof route.operation === 'function' ? route.operation(request) : route.operation
  api.guard?.(request, route)
  const fault = request.state.faults.take(api.network, api.profileOf(request), request.operation)
  if (fault?.fault === 'delay') await sleep(fault.delayMs)
  const refused = fault && faultResponse(request, api.faultResponses, fault)
  const response = refused ?? (await route.handle(request))
  api.bill?.(request, route, response)
  if (fault?.fault === 'lost-answer') return 'lost'
  if (fault?.answer) return fault.answer
  return { ...response, headers: { ...request.responseHeaders, ...response.headers } }
}

function faultResponse(
  request: ApiRequest,
  faultResponses: FaultResponses,
  { fault, answer, afterEffect }: Fault,
): ApiResponse | undefined {
  switch (fault) {
    case 'answer':
      return afterEffect ? undefined : answer
    case 'rate-limit':
      return faultResponses.rateLimit(request)
    case 'server-error':
      return faultResponses.serverError(request)
    case 'token-expired':
      return faultResponses.tokenExpired(request)
    case 'token-revoked':
      return faultResponses.tokenRevoked(request)
    case 'duplicate':
      return faultResponses.duplicate(request)
    case 'not-ready':
      // For status requests "not ready" is a regular response, not an error.
      request.notReady = request.operation === 'status'
      return request.notReady ? undefined : faultResponses.notReady(request)
    default:
      return undefined
  }
}

/** With Facebook's login, Instagram nodes are served by Facebook's host. */
function isInstagramNode(request: ApiRequest, path: string): boolean {
  const id = /^(?:\/v[\d.]+)?\/([^/]+)/.exec(path)?.[1] ?? ''
  const key = `Instagram:${id}`
  const { profiles, items, containers } = request.state
  return Boolean(profiles.get(key) ?? items.get(key) ?? containers.get(id))
}
