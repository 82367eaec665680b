import type { Actor, PushRequest, PushVerdict } from '../connector/connector.ts'
import { unsupported } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { readJson } from '../http/json.ts'
import { hmac, isChallenge, sameText } from '../http/signature.ts'
import { notificationActivity } from './activities.ts'
import { type LinkedInClient, request } from './client.ts'
import { memberOf } from './directory.ts'
import { at, encoded, listAt, personUrn, urnOf } from './fields.ts'
import { manifest } from './manifest.ts'
import { isNoAdministrator, pushForAdministrators } from './permissions.ts'

/** Stops silently when the member loses the role or the grant, so polling continues. */
export async function subscribePush(client: LinkedInClient, actor: Actor, callback: string): Promise<object> {
  if (actor.kind !== 'page') throw unsupported('LinkedIn', 'LinkedIn tells of comments on company pages only.')
  if (isNoAdministrator(actor)) throw unsupported('LinkedIn', pushForAdministrators)
  const { app } = client
  const { id } = await memberOf(client, actor)
  const application = `urn:li:developerApplication:${app.options.applicationId ?? app.clientId}`
  const key = [
    `developerApplication:${encoded(application)}`,
    `user:${encoded(personUrn(id))}`,
    `entity:${encoded(urnOf(actor))}`,
    'eventType:ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS',
  ].join(',')
  await request(client, actor, {
    method: 'PUT',
    path: `/rest/eventSubscriptions/(${key})`,
    json: { webhook: callback },
  })
  return {}
}

export function verifyPush(app: NetworkApp, request: PushRequest): PushVerdict {
  return request.method === 'GET' ? handshake(app, request) : delivery(app, request)
}

function handshake({ clientSecret }: NetworkApp, { query }: PushRequest): PushVerdict {
  const challengeCode = query.get('challengeCode') ?? ''
  // Anyone may send a challenge. LinkedIn sends a UUID; deliveries are signed with a prefix that ends in "=", which must not occur here.
  if (!/^[\w-]{1,128}$/.test(challengeCode)) {
    return { ok: false, status: 400, reason: 'The handshake has no challengeCode of the usual form.' }
  }
  const challengeResponse = hmac('sha256', clientSecret, 'hex', challengeCode)
  return accepted(JSON.stringify({ challengeCode, challengeResponse }), [])
}

function delivery(app: NetworkApp, { headers, raw }: PushRequest): PushVerdict {
  if (isChallenge(raw)) return { ok: false, status: 400, reason: 'The body is a challenge, not a delivery.' }
  const given = headers[manifest.push.signature]
  if (given === undefined) return { ok: false, status: 401, reason: 'The header X-LI-Signature is missing.' }
  const expected = hmac('sha256', app.clientSecret, 'hex', 'hmacsha256=', raw)
  if (!sameText(given, expected)) return { ok: false, status: 401, reason: 'The signature does not fit the body.' }
  const body = readJson(Buffer.from(raw).toString('utf8'))
  if (!Array.isArray(at(body, 'notifications'))) {
    return { ok: false, status: 400, reason: 'The body is signed but holds no notifications.' }
  }
  const items = listAt(body, 'notifications')
    .slice(0, maximumNotifications)
    .map((notification) => notificationActivity(app, notification))
  return accepted(
    '{}',
    items.filter((item) => item !== undefined),
  )
}

/** Far more than LinkedIn sends per request; larger deliveries are rejected. */
const maximumNotifications = 5_000

const accepted = (body: string, items: (PushVerdict & { ok: true })['items']): PushVerdict => ({
  ok: true,
  response: { status: 200, type: 'application/json', body },
  items,
})
