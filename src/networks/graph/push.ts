import type { Activity, PushRequest, PushVerdict } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import type { WebhookSetup } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { type Json, readJson } from '../wire/json.ts'
import { hmac, isChallenge, sameText } from '../wire/signature.ts'
import { asApp, ask, askAs } from './calls.ts'
import type { Graph } from './graph.ts'
import { listAt, textAt } from './graph.ts'

/** Registers the address for the app; Meta tries it out at once. */
export async function registerCallback(graph: Graph, callback: string, object: string, fields: string): Promise<void> {
  const { app } = graph
  const form = { object, callback_url: callback, verify_token: verifyToken(app), fields, include_values: 'true' }
  await askAs(graph, asApp(graph), { method: 'POST', path: `${app.clientId}/subscriptions`, form })
}

/** Switches one profile's pushes on. */
export async function subscribeProfile(graph: Graph, actor: Actor, fields: string): Promise<void> {
  const path = `${actor.remoteId}/subscribed_apps`
  await ask(graph, actor, { method: 'POST', path, form: { subscribed_fields: fields } })
}

/** Judges a handshake or a delivery; `read` turns one entry into what it tells. */
export function verify(app: NetworkApp, request: PushRequest, object: string, read: ReadEntry): PushVerdict {
  if (request.method === 'GET') return handshake(app, request)
  if (isChallenge(request.raw)) return refused(400, 'The body is a challenge, not a delivery.')
  const given = request.headers['x-hub-signature-256']
  if (given === undefined) return refused(401, 'The delivery is not signed.')
  // Apps with Instagram Login have two secrets, and Meta does not say which one signs.
  const secrets = [app.clientSecret, app.options.appSecret].flatMap((secret) => secret || [])
  const isSigned = (secret: string) => sameText(given, `sha256=${hmac('sha256', secret, 'hex', request.raw)}`)
  if (!secrets.some(isSigned)) return refused(401, 'The signature does not fit the body.')
  const body = readJson(Buffer.from(request.raw).toString('utf8'))
  const kind = textAt(body, 'object')
  if (kind === undefined) return refused(400, 'The body cannot be read.')
  const entries = kind === object ? listAt(body, 'entry').slice(0, mostEntries) : []
  return {
    ok: true,
    answer: { status: 200, type: 'text/plain', body: 'EVENT_RECEIVED' },
    items: entries.flatMap((entry) => read(entry, request.receivedAt)),
  }
}

/** Meta puts a thousand into one call at most; who sends more is not waited for. */
const mostEntries = 5_000

export type ReadEntry = (entry: Json, receivedAt: Date) => Activity[]

function handshake(app: NetworkApp, { query }: PushRequest): PushVerdict {
  const challenge = query.get('hub.challenge')
  if (query.get('hub.mode') !== 'subscribe' || challenge === null) return refused(400, 'This is no handshake.')
  if (!sameText(query.get('hub.verify_token') ?? '', verifyToken(app)))
    return refused(403, 'The verify token is not ours.')
  if (!isChallenge(challenge)) return refused(400, 'The challenge is not in the form of Meta.')
  return { ok: true, answer: { status: 200, type: 'text/plain', body: challenge }, items: [] }
}

/** What stands in the app's dashboard, entered by hand where that is the only way to register the address. */
export const webhookSetup = (
  app: NetworkApp,
  callback: string,
  { fields, isEntered }: { fields: string; isEntered: boolean },
): WebhookSetup => ({ callback, verifyToken: verifyToken(app), fields: fields.split(','), isEntered })

/** Derived, so that nothing has to be kept. */
const verifyToken = ({ clientSecret }: NetworkApp) => hmac('sha256', clientSecret, 'hex', 'push verify token')

const refused = (status: 400 | 401 | 403, reason: string): PushVerdict => ({ ok: false, status, reason })
