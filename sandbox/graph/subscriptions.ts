import { createHmac } from 'node:crypto'
import { fetch } from 'undici'
import type { Call } from '../http/request.ts'
import { choice, controlError, listOf, optionalChoice, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { apps } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { Network, Profile } from '../state/rows.ts'
import type { World } from '../state/state.ts'
import { grantFor, loginOf } from './access.ts'
import { badParameter, refuse } from './responses.ts'

/** POST /{app}/subscriptions: one callback address per app and object, accepted after the handshake. */
export async function subscribeApp(call: Call): Promise<Answer> {
  const grant = grantFor(call)
  if (grant.kind !== 'app' || call.params.id !== grant.app) {
    refuse({ code: 15, message: '(#15) This method must be called with an app access_token.', type: 'OAuthException' })
  }
  // Webhooks of Instagram are set up in the app's dashboard alone.
  if (textOf(call, 'object') === 'instagram') badParameter('The object instagram cannot be subscribed to by this call.')
  const callback = textOf(call, 'callback_url')
  if (!callback || !URL.canParse(callback)) badParameter('param callback_url must be a valid URL')
  if (!(await confirms(callback, textOf(call, 'verify_token') ?? ''))) {
    refuse({
      code: 2200,
      message: '(#2200) Callback verification failed: the address did not echo hub.challenge.',
      type: 'OAuthException',
    })
  }
  keepCallback(call.world, 'Facebook', { app: grant.network, callback, fields: fieldsOf(call, 'fields') })
  return json({ success: true })
}

/** POST /__sandbox/dashboard: what an operator enters by hand in the dashboard of an app. `login` says whose app it is. */
export async function enterCallback(call: Call): Promise<Answer> {
  const network = choice(call, 'network', ['Facebook', 'Instagram'] as const)
  const app = optionalChoice(call, 'login', ['Facebook', 'Instagram'] as const) ?? network
  const callback = textOf(call, 'callback') ?? ''
  if (!URL.canParse(callback)) throw controlError('callback must be an address.')
  if (!(await confirms(callback, textOf(call, 'verifyToken') ?? '')))
    throw controlError('The callback did not answer the handshake.')
  keepCallback(call.world, network, { app, callback, fields: listOf(call, 'fields').map(String) })
  return json({ success: true })
}

/** Deliveries are signed with the secret of the app they are for. */
function keepCallback(
  world: World,
  network: Network,
  { app, callback, fields }: { app: Network; callback: string; fields: string[] },
) {
  world.subscriptions.put({ network, id: 'app', level: 'app', callback, secret: apps[app].secret, fields })
}

/** POST /{profile}/subscribed_apps: switches the app's pushes on for one profile. */
export function subscribeProfile(call: Call, { network, id }: Profile): Answer {
  refuseThroughPage(call, network)
  const fields = fieldsOf(call, 'subscribed_fields')
  if (!fields.length) badParameter('The parameter subscribed_fields is required.')
  call.world.subscriptions.put({ network, id, level: 'profile', profile: id, fields })
  return json({ success: true })
}

export function unsubscribeProfile(call: Call, { network, id }: Profile): Answer {
  call.world.subscriptions.delete(`${network}:${id}`)
  return json({ success: true })
}

export function listSubscriptions(call: Call, { network, id }: Profile): Answer {
  const subscription = call.world.subscriptions.get(`${network}:${id}`)
  return json({
    data: subscription ? [{ id: apps[network].id, name: 'Sandbox app', subscribed_fields: subscription.fields }] : [],
  })
}

/** An Instagram account reached through Facebook's login has no subscriptions of its own: those of its page count. */
function refuseThroughPage(call: Call, network: Network) {
  if (network === 'Instagram' && loginOf(call) === 'Facebook')
    badParameter('Tried accessing nonexisting field (subscribed_apps) on node type (IGUser)')
}

/** Sends one entry to the app's address, if the profile subscribed to that field, or the page behind an Instagram account to any. */
export function notify(world: World, { network, id, page }: Profile, field: string, entry: Record<string, unknown>) {
  const { callback, secret: key = '' } = world.subscriptions.get(`${network}:app`) ?? {}
  const isOn =
    world.subscriptions.get(`${network}:${id}`)?.fields.includes(field) ||
    (page !== undefined && world.subscriptions.get(`Facebook:${page}`))
  if (!callback || !isOn) return
  const time = Math.floor(world.clock.now() / 1000)
  world.push.send({
    network,
    profile: id,
    url: callback,
    type: 'application/json',
    body: JSON.stringify({ object: network === 'Facebook' ? 'page' : 'instagram', entry: [{ id, time, ...entry }] }),
    sign: (body) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    }),
  })
}

async function confirms(callback: string, verifyToken: string): Promise<boolean> {
  const challenge = secret('')
  const url = new URL(callback)
  url.searchParams.set('hub.mode', 'subscribe')
  url.searchParams.set('hub.challenge', challenge)
  url.searchParams.set('hub.verify_token', verifyToken)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    return response.ok && (await response.text()).trim() === challenge
  } catch {
    return false
  }
}

function fieldsOf(call: Call, name: string): string[] {
  return (textOf(call, name) ?? '').split(',').filter(Boolean)
}
