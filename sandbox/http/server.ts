import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../behaviour/faults.ts'
import { isControl, serveControl } from '../control/control.ts'
import { isCrm, serveCrm } from '../crm/crm.ts'
import { facebook } from '../facebook/api.ts'
import { instagram } from '../instagram/api.ts'
import { linkedin } from '../linkedin/api.ts'
import type { World } from '../state/state.ts'
import { tiktok } from '../tiktok/api.ts'
import { twitter } from '../x/api.ts'
import { youtube } from '../youtube/api.ts'
import { servePage } from './pages.ts'
import { type Call, readBody } from './request.ts'
import { type Answer, json, Refusal } from './response.ts'
import { type FaultAnswers, hostIn, matchRoute, type NetworkApi, refusedByHost } from './router.ts'

/** The one port of all networks; `bindAddress` is where it listens. */
export function sandboxServer(world: World, token: string, bindAddress: string): Server {
  return createServer((request, response) => {
    if (!isKnownHost(request, bindAddress)) return send(response, misdirected)
    serve(world, token, request).then(
      (answer) => (answer === 'lost' ? request.socket.resetAndDestroy() : send(response, answer)),
      (error: unknown) => send(response, json({ error: `The sandbox itself failed: ${error}` }, 500)),
    )
  })
}

/**
 * Whether the sandbox is addressed by a name of this machine. Nobody is asked who they are here, so a page that made its own name point at
 * this port (DNS rebinding) could read and write everything.
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

const misdirected = json({ error: 'The sandbox is reached as localhost or by the address it listens on.' }, 421)

async function serve(world: World, token: string, request: IncomingMessage): Promise<Answer | 'lost'> {
  const call = await readCall(world, request)
  if (isControl(call)) return serveControl(call, token)
  const shown = servePage(call)
  if (shown) return shown
  const found = apiFor(call)
  const isOfCrm = isCrm(call)
  if (!found && !isOfCrm) return json({ error: `Nothing is served under ${call.path}.` }, 404)
  const [from, to] = world.latency
  const half = (from + Math.random() * (to - from)) / 2
  try {
    if (half > 0) await sleep(half)
    const answer = found ? await serveApi(call, found) : await serveCrm(call)
    if (half > 0) await sleep(half)
    return answer
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...error.answer, headers: { ...call.answerHeaders, ...error.answer.headers } }
  }
}

async function readCall(world: World, request: IncomingMessage): Promise<Call> {
  const forwarded = request.headers['x-forwarded-proto']
  const origin = `${typeof forwarded === 'string' ? forwarded : 'http'}://${request.headers.host ?? '127.0.0.1'}`
  // The address is cut by hand: URL would resolve dots and lose what LinkedIn writes between brackets.
  const [path = '/', search = ''] = (request.url ?? '/').split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  const body = await readBody(request)
  return {
    world,
    method: request.method ?? 'GET',
    ...hostIn(path),
    origin,
    params: {},
    query,
    headers: request.headers,
    fields: { ...Object.fromEntries(query), ...body.fields },
    files: body.files,
    raw: body.raw,
    operation: 'profile',
    notReady: false,
    answerHeaders: {},
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer) {
  response.writeHead(status, headers)
  response.end(body)
}

const apis: Record<string, NetworkApi> = { facebook, instagram, linkedin, x: twitter, youtube, tiktok, hub: youtube }

interface Found {
  api: NetworkApi
  path: string
}

/** Which network a path belongs to, and the path as that network sees it. */
function apiFor(call: Call): Found | undefined {
  const [, prefix = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(call.path) ?? []
  const api = apis[prefix]
  if (!api) return undefined
  return api === facebook && isInstagramNode(call, path) ? { api: instagram, path } : { api, path }
}

/** Serves a call and counts it, refused or not. */
async function serveApi(call: Call, found: Found): Promise<Answer | 'lost'> {
  const { charges } = call.world
  const { network } = found.api
  try {
    const answer = await serveRoute(call, found)
    charges.called(network, answer !== 'lost' && answer.status >= 400)
    return answer
  } catch (error) {
    if (error instanceof Refusal) charges.called(network, true)
    throw error
  }
}

/** Finds the route, lets planned faults happen, and does what was asked. */
async function serveRoute(call: Call, { api, path }: Found): Promise<Answer | 'lost'> {
  const elsewhere = refusedByHost(call, path, api.answers)
  if (elsewhere) return elsewhere
  const located = api.locate?.(path, call) ?? path
  const match = matchRoute(api.routes, call.method, located)
  if (!match) return api.answers.unknownPath(call)
  const { route, params } = match
  call.params = params
  call.operation = typeof route.operation === 'function' ? route.operation(call) : route.operation
  api.enter?.(call, route)
  const fault = call.world.faults.take(api.network, api.profileOf(call), call.operation)
  if (fault?.fault === 'delay') await sleep(fault.delayMs)
  const refused = fault && faultAnswer(call, api.answers, fault)
  const answer = refused ?? (await route.handle(call))
  api.bill?.(call, route, answer)
  if (fault?.fault === 'lost-answer') return 'lost'
  if (fault?.answer) return fault.answer
  return { ...answer, headers: { ...call.answerHeaders, ...answer.headers } }
}

function faultAnswer(call: Call, answers: FaultAnswers, { fault, answer, afterEffect }: Fault): Answer | undefined {
  switch (fault) {
    case 'answer':
      return afterEffect ? undefined : answer
    case 'rate-limit':
      return answers.rateLimit(call)
    case 'server-error':
      return answers.serverError(call)
    case 'token-expired':
      return answers.tokenExpired(call)
    case 'token-revoked':
      return answers.tokenRevoked(call)
    case 'duplicate':
      return answers.duplicate(call)
    case 'not-ready':
      // Where a state is asked for, "not yet" is an ordinary answer and no error.
      call.notReady = call.operation === 'status'
      return call.notReady ? undefined : answers.notReady(call)
    default:
      return undefined
  }
}

/** Through Facebook's login Instagram is served by Facebook's host. */
function isInstagramNode(call: Call, path: string): boolean {
  const id = /^(?:\/v[\d.]+)?\/([^/]+)/.exec(path)?.[1] ?? ''
  const key = `Instagram:${id}`
  const { profiles, items, containers } = call.world
  return Boolean(profiles.get(key) ?? items.get(key) ?? containers.get(id))
}
