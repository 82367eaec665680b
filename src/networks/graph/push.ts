import type { Activity, Actor, PushRequest, PushVerdict, WebhookSetup } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { type Json, readJson } from '../http/json.ts'
import { hmac, isChallenge, sameText } from '../http/signature.ts'
import { asApp, request, requestAs } from './client.ts'
import type { Graph } from './graph.ts'
import { listAt, textAt } from './graph.ts'

/** Registers the callback URL for the app; Meta verifies it immediately. */
export async function registerCallback(graph: Graph, callback: string, object: string, fields: string): Promise<void> {
  const { app } = graph
  const form = { object, callback_url: callback, verify_token: verifyToken(app), fields, include_values: 'true' }
  await requestAs(graph, asApp(graph), { method: 'POST', path: `${app.clientId}/subscriptions`, form })
}

/** Enables pushes for one profile. */
export async function subscribeProfile(graph: Graph, actor: Actor, fields: string): Promise<void> {
  const path = `${actor.remoteId}/subscribed_apps`
  await request(graph, actor, { method: 'POST', path, form: { subscribed_fields: fields } })
}

/** Verifies a handshake or delivery; `read` parses one entry. */
export function verify(app: NetworkApp, request: PushRequest, object: string, read: ReadEntry): PushVerdict {
  if (request.method === 'GET') return handshake(app, request)
  if (isChallenge(request.raw)) return rejected(400, 'The body is a challenge, not a delivery.')
  const given = request.headers['x-hub-signature-256']
  if (given === undefined) return rejected(401, 'The delivery is not signed.')
  // Apps with Instagram Login have two secrets, and Meta doesn't document which one signs.
  const secrets = [app.clientSecret, app.options.appSecret].flatMap((secret) => secret || [])
  const isSigned = (secret: string) => sameText(given, `sha256=${hmac('sha256', secret, 'hex', request.raw)}`)
  if (!secrets.some(isSigned)) return rejected(401, 'The signature does not fit the body.')
  const body = readJson(Buffer.from(request.raw).toString('utf8'))
  const kind = textAt(body, 'object')
  if (kind === undefined) return rejected(400, 'The body cannot be read.')
  const entries = kind === object ? listAt(body, 'entry').slice(0, maximumEntries) : []
  return {
    ok: true,
    response: { status: 200, type: 'text/plain', body: 'EVENT_RECEIVED' },
    items: entries.flatMap((entry) => read(entry, request.receivedAt)),
  }
}

/** Meta sends at most a thousand per request; larger deliveries are rejected. */
const maximumEntries = 5_000

export type ReadEntry = (entry: Json, receivedAt: Date) => Activity[]

function handshake(app: NetworkApp, { query }: PushRequest): PushVerdict {
  const challenge = query.get('hub.challenge')
  if (query.get('hub.mode') !== 'subscribe' || challenge === null) return rejected(400, 'This is no handshake.')
  if (!sameText(query.get('hub.verify_token') ?? '', verifyToken(app)))
    return rejected(403, 'The verify token is not ours.')
  if (!isChallenge(challenge)) return rejected(400, 'The challenge is not in the form of Meta.')
  return { ok: true, response: { status: 200, type: 'text/plain', body: challenge }, items: [] }
}

/** Values for the app's dashboard, entered by hand where that is the only way to register the callback URL. */
export const webhookSetup = (
  app: NetworkApp,
  callback: string,
  { fields, isEntered }: { fields: string; isEntered: boolean },
): WebhookSetup => ({ callback, verifyToken: verifyToken(app), fields: fields.split(','), isEntered })

/** Derived, so that nothing has to be stored. */
const verifyToken = ({ clientSecret }: NetworkApp) => hmac('sha256', clientSecret, 'hex', 'push verify token')

const rejected = (status: 400 | 401 | 403, reason: string): PushVerdict => ({ ok: false, status, reason })
