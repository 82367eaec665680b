import { createHmac } from 'node:crypto'
import { fetch } from 'undici'
import { type ApiRequest, choice, controlError, listOf, optionalChoice, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { apps } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { Network, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { grantFor, loginOf } from './access.ts'
import { badParameter, refuse } from './responses.ts'

/** POST /{app}/subscriptions: one callback URL per app and object, accepted after the handshake. */
export async function subscribeApp(request: ApiRequest): Promise<ApiResponse> {
  const grant = grantFor(request)
  if (grant.kind !== 'app' || request.params.id !== grant.app) {
    refuse({ code: 15, message: '(#15) This method must be called with an app access_token.', type: 'OAuthException' })
  }
  // Instagram webhooks are configured only in the app dashboard.
  if (textOf(request, 'object') === 'instagram')
    badParameter('The object instagram cannot be subscribed to by this call.')
  const callback = textOf(request, 'callback_url')
  if (!callback || !URL.canParse(callback)) badParameter('param callback_url must be a valid URL')
  if (!(await passesHandshake(callback, textOf(request, 'verify_token') ?? ''))) {
    refuse({
      code: 2200,
      message: '(#2200) Callback verification failed: the address did not echo hub.challenge.',
      type: 'OAuthException',
    })
  }
  saveCallback(request.state, 'Facebook', { app: grant.network, callback, fields: fieldsOf(request, 'fields') })
  return json({ success: true })
}

/** POST /__sandbox/dashboard: configures a callback as in the app dashboard. `login` selects the app. */
export async function setDashboardCallback(request: ApiRequest): Promise<ApiResponse> {
  const network = choice(request, 'network', ['Facebook', 'Instagram'] as const)
  const app = optionalChoice(request, 'login', ['Facebook', 'Instagram'] as const) ?? network
  const callback = textOf(request, 'callback') ?? ''
  if (!URL.canParse(callback)) throw controlError('callback must be an address.')
  if (!(await passesHandshake(callback, textOf(request, 'verifyToken') ?? '')))
    throw controlError('The callback did not answer the handshake.')
  saveCallback(request.state, network, { app, callback, fields: listOf(request, 'fields').map(String) })
  return json({ success: true })
}

/** Deliveries are signed with the secret of the subscribed app. */
function saveCallback(
  state: SandboxState,
  network: Network,
  { app, callback, fields }: { app: Network; callback: string; fields: string[] },
) {
  state.subscriptions.put({ network, id: 'app', level: 'app', callback, secret: apps[app].secret, fields })
}

/** POST /{profile}/subscribed_apps: enables pushes for one profile. */
export function subscribeProfile(request: ApiRequest, { network, id }: Profile): ApiResponse {
  refuseThroughPage(request, network)
  const fields = fieldsOf(request, 'subscribed_fields')
  if (!fields.length) badParameter('The parameter subscribed_fields is required.')
  request.state.subscriptions.put({ network, id, level: 'profile', profile: id, fields })
  return json({ success: true })
}

export function unsubscribeProfile(request: ApiRequest, { network, id }: Profile): ApiResponse {
  request.state.subscriptions.delete(`${network}:${id}`)
  return json({ success: true })
}

export function listSubscriptions(request: ApiRequest, { network, id }: Profile): ApiResponse {
  const subscription = request.state.subscriptions.get(`${network}:${id}`)
  return json({
    data: subscription ? [{ id: apps[network].id, name: 'Sandbox app', subscribed_fields: subscription.fields }] : [],
  })
}

/** Through Facebook's login, the subscriptions of the page apply instead of those of the Instagram account. */
function refuseThroughPage(request: ApiRequest, network: Network) {
  if (network === 'Instagram' && loginOf(request) === 'Facebook')
    badParameter('Tried accessing nonexisting field (subscribed_apps) on node type (IGUser)')
}

/** Pushes one entry if the profile subscribed to the field, or if the page of an Instagram account has any subscription. */
export function pushEntry(
  state: SandboxState,
  { network, id, page }: Profile,
  field: string,
  entry: Record<string, unknown>,
) {
  const { callback, secret: key = '' } = state.subscriptions.get(`${network}:app`) ?? {}
  const isOn =
    state.subscriptions.get(`${network}:${id}`)?.fields.includes(field) ||
    (page !== undefined && state.subscriptions.get(`Facebook:${page}`))
  if (!callback || !isOn) return
  const time = Math.floor(state.clock.now() / 1000)
  state.push.send({
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

async function passesHandshake(callback: string, verifyToken: string): Promise<boolean> {
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

function fieldsOf(request: ApiRequest, name: string): string[] {
  return (textOf(request, name) ?? '').split(',').filter(Boolean)
}
