import { faultNames, faultTargets, operations } from '../behaviour/faults.ts'
import { mediaOf } from '../behaviour/media.ts'
import { pushBehaviours } from '../behaviour/push.ts'
import { actionKinds, simulateAction, UnsupportedAction } from '../behaviour/simulated-users.ts'
import { setDashboardCallback } from '../graph/subscriptions.ts'
import {
  type ApiRequest,
  booleanOf,
  choice,
  controlError,
  numberOf,
  objectOf,
  optionalChoice,
  textOf,
} from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import { matchRoute, type Route, route } from '../http/router.ts'
import { endGrants, removeScope } from '../state/grants.ts'
import { createProfile, listProfiles, seed } from '../state/profiles.ts'
import { type Link, networks, type Person } from '../state/rows.ts'

const prefix = '/__sandbox'

export function isControl(request: ApiRequest): boolean {
  return request.path === prefix || request.path.startsWith(`${prefix}/`)
}

/** The control plane: inspects and changes the state of the networks for tests and demos. */
export async function serveControl(request: ApiRequest, token: string): Promise<ApiResponse> {
  if (request.headers.authorization !== `Bearer ${token}`)
    return json({ error: 'Send the sandbox token as a bearer.' }, 401)
  const match = matchRoute(routes, request.method, request.path.slice(prefix.length))
  if (!match) return json({ error: `The sandbox has no ${request.method} ${request.path}.` }, 404)
  request.params = match.params
  try {
    return await match.route.handle(request)
  } catch (error) {
    if (error instanceof ApiError) return error.response
    throw error
  }
}

const routes: Route[] = [
  route('GET', '/ledger', 'posts', (request) => json({ entries: ledger(request) })),
  route('GET', '/usage', 'posts', (request) => json({ usage: request.state.usage.list() })),
  route('GET', '/crm', 'posts', (request) => json({ records: request.state.crm.all() })),
  route('POST', '/inject', 'posts', (request) => json(inject(request))),
  route('POST', '/fault', 'posts', planFault),
  route('GET', '/faults', 'posts', (request) => json({ faults: request.state.faults.list() })),
  route('DELETE', '/faults', 'posts', clearFaults),
  route('POST', '/clock', 'posts', moveClock),
  route('GET', '/clock', 'posts', currentTime),
  route('POST', '/reset', 'posts', reset),
  route('POST', '/profile', 'posts', (request) => json(createProfile(request))),
  route('GET', '/profiles', 'posts', (request) => json({ profiles: listProfiles(request) })),
  route('POST', '/token', 'posts', invalidateTokens),
  route('POST', '/processing', 'posts', setProcessing),
  route('POST', '/app', 'posts', setProducts),
  route('POST', '/limits', 'posts', setLimits),
  route('POST', '/dashboard', 'subscribe', setDashboardCallback),
  route('POST', '/push', 'posts', setPush),
  route('GET', '/push', 'posts', (request) => json({ deliveries: request.state.push.list() })),
]

function planFault(request: ApiRequest): ApiResponse {
  const network = optionalChoice(request, 'network', faultTargets)
  const operation = optionalChoice(request, 'operation', operations)
  const profile = textOf(request, 'profile')
  const fault = choice(request, 'fault', faultNames)
  request.state.faults.plan({
    ...(fault === 'answer' ? customResponse(request) : {}),
    ...(network ? { network } : {}),
    ...(operation ? { operation } : {}),
    ...(profile ? { profile: profile.split(':').at(-1) ?? profile } : {}),
    fault,
    count: numberOf(request, 'count') ?? 1,
    delayMs: numberOf(request, 'delayMs') ?? 1000,
  })
  return json({ faults: request.state.faults.list() })
}

function customResponse(request: ApiRequest) {
  const given = objectOf(request, 'answer')
  const status = given && numberOf(given, 'status')
  if (!given || status === undefined) throw controlError('answer must have a status.')
  const headers = Object.entries(objectOf(given, 'headers') ?? {}).map(([name, value]) => [name, String(value)])
  const isText = typeof given.body === 'string'
  return {
    afterEffect: booleanOf(request, 'afterEffect'),
    answer: {
      status,
      headers: { ...(isText ? {} : { 'content-type': 'application/json' }), ...Object.fromEntries(headers) },
      body: isText ? String(given.body) : JSON.stringify(given.body ?? {}),
    },
  }
}

function moveClock(request: ApiRequest): ApiResponse {
  const { state } = request
  const now = textOf(request, 'now')
  const advance = numberOf(request, 'advanceMs')
  const time = now === undefined ? undefined : (numberOf(request, 'now') ?? Date.parse(now))
  if (Number.isNaN(time ?? 0)) throw controlError('now must be milliseconds or an ISO time.')
  if (time === undefined && advance === undefined) throw controlError('Give advanceMs or now.')
  if (time !== undefined) state.clock.set(time)
  state.clock.advance(advance ?? 0)
  state.saveClock()
  state.push.deliverDue()
  return currentTime(request)
}

function currentTime({ state }: ApiRequest): ApiResponse {
  return json({ now: state.clock.now(), iso: new Date(state.clock.now()).toISOString() })
}

function reset(request: ApiRequest): ApiResponse {
  request.state.reset()
  seed(request.state)
  return json({ profiles: listProfiles(request) })
}

function invalidateTokens(request: ApiRequest): ApiResponse {
  const network = choice(request, 'network', networks)
  const scope = textOf(request, 'withoutScope')
  if (scope) return json({ tokens: removeScope(request.state, network, textOf(request, 'profile') ?? '', scope) })
  const endReasons = { expire: 'expired', revoke: 'revoked', password: 'password' } as const
  const endReason = endReasons[choice(request, 'action', ['expire', 'revoke', 'password'])]
  return json({ tokens: endGrants(request.state, network, textOf(request, 'profile') ?? '', endReason) })
}

function setProcessing(request: ApiRequest): ApiResponse {
  const delayMs = numberOf(request, 'delayMs')
  const failure = textOf(request, 'failure')
  const idDelayMs = numberOf(request, 'idDelayMs')
  request.state.processing.set(choice(request, 'network', networks), {
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(failure ? { failure } : {}),
    ...(idDelayMs === undefined ? {} : { idDelayMs }),
  })
  return json({ done: true })
}

/** Sets the products of an app; without `products` resets them to the default. */
function setProducts(request: ApiRequest): ApiResponse {
  const network = choice(request, 'network', networks)
  const products = optionalChoice(request, 'products', ['community-management', 'share', 'share-advertising'] as const)
  if (products) request.state.products.set(network, products)
  else request.state.products.delete(network)
  return json({ done: true })
}

/** Sets how pushes behave: normal, sent twice, with a forged signature, or not sent. */
function setPush(request: ApiRequest): ApiResponse {
  const behaviour = choice(request, 'behaviour', pushBehaviours)
  const network = optionalChoice(request, 'network', networks)
  for (const one of network ? [network] : networks) request.state.push.setBehaviour(one, behaviour)
  return json({ behaviour })
}

/** `factor` multiplies every limit; `limits` sets single ones by the names listed in the README. */
function setLimits(request: ApiRequest): ApiResponse {
  const { rateLimiter } = request.state
  if (booleanOf(request, 'clear')) {
    rateLimiter.clear()
    request.state.usage.clear()
  }
  rateLimiter.factor = numberOf(request, 'factor') ?? rateLimiter.factor
  for (const [name, limit] of Object.entries(objectOf(request, 'limits') ?? {}))
    rateLimiter.override(name, Number(limit))
  return json({ factor: rateLimiter.factor })
}

function clearFaults({ state }: ApiRequest): ApiResponse {
  state.faults.clear()
  return json({ faults: [] })
}

/** Performs an action on the network itself: as another user, or with `own` as the owner of the profile. */
function inject(request: ApiRequest): { remoteId: string; threadId: string | null } {
  const { state } = request
  const network = choice(request, 'network', networks)
  const profileId = textOf(request, 'profile') ?? ''
  const profile = state.profile(network, profileId) ?? state.profile(network, profileId.split(':').at(-1) ?? '')
  if (!profile) throw controlError(`${network} has no profile ${profileId}.`)
  try {
    const item = simulateAction(state, profile, {
      kind: choice(request, 'kind', actionKinds),
      from: readPerson(request),
      own: textOf(request, 'own') === 'true',
      text: textOf(request, 'text') ?? '',
      parentId: textOf(request, 'remoteId') ?? textOf(request, 'parentId') ?? textOf(request, 'postRemoteId'),
      threadId: textOf(request, 'threadId'),
      pictures: textOf(request, 'picture') === 'true' ? 1 : (numberOf(request, 'picture') ?? 0),
      withoutPush: textOf(request, 'push') === 'false',
    })
    return { remoteId: item.id, threadId: item.threadId ?? null }
  } catch (error) {
    if (error instanceof UnsupportedAction) throw controlError(error.message)
    throw error
  }
}

function readPerson(request: ApiRequest): Person {
  const given = objectOf(request, 'from') ?? {}
  const id = textOf(given, 'id') ?? '7000000000000001'
  const name = textOf(given, 'name') ?? 'Somebody Outside'
  const username = textOf(given, 'username') ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const email = textOf(given, 'email')
  return { id: id.split(':').at(-1) ?? id, name, username, ...(email === undefined ? {} : { email }) }
}

/** Everything that profiles did through the APIs, in order of effect. */
function ledger(request: ApiRequest) {
  const profile = textOf(request, 'profile')?.split(':').at(-1)
  const filter = { network: textOf(request, 'network'), profile, kind: textOf(request, 'kind') }
  return request.state.items
    .all()
    .filter(({ own, extra }) => own && !extra?.byHand)
    .filter((item) =>
      (['network', 'profile', 'kind'] as const).every((name) => [undefined, '', item[name]].includes(filter[name])),
    )
    .map((item) => ({
      network: item.network,
      profile: item.profile,
      kind: item.kind,
      remoteId: item.id,
      alias: item.alias ?? null,
      parentId: item.parentId ?? null,
      threadId: item.threadId ?? null,
      to: item.to ?? null,
      title: item.title ?? null,
      text: item.text,
      link: item.link?.url ?? null,
      card: item.link ? linkCard(item.link) : null,
      media: item.media.map((id) => {
        const media = mediaOf(request.state, item.network, id)
        const url = `${request.origin}/media/${media?.sha256}`
        return { id, mime: media?.mime, bytes: media?.bytes, sha256: media?.sha256, alt: media?.alt ?? null, url }
      }),
      at: new Date(item.at).toISOString(),
      removedAt: item.removedAt === undefined ? null : new Date(item.removedAt).toISOString(),
      extra: item.extra ?? {},
    }))
}

/** The link preview, where the network lets the author set it. */
function linkCard({ title, description, image }: Link) {
  return { title: title ?? null, description: description ?? null, image: image ?? null }
}
