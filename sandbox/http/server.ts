import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isControl, serveControl } from '../control/control.ts'
import { isCrm, serveCrm } from '../crm/api.ts'
import type { World } from '../state/world.ts'
import { readBody } from './body.ts'
import { type Answer, type Call, json, Refusal } from './call.ts'
import { apiFor, serveApi } from './dispatch.ts'
import { hostIn } from './hosts.ts'
import { servePage } from './pages.ts'

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
