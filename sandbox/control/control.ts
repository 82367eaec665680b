import { faultNames, faultPlaces, operations } from '../behaviour/faults.ts'
import { mediaOf } from '../behaviour/media.ts'
import { pushBehaviours } from '../behaviour/push.ts'
import { act, actKinds, Impossible } from '../behaviour/simulated-users.ts'
import { enterCallback } from '../graph/subscriptions.ts'
import { type Call, choice, controlError, flagOf, numberOf, objectOf, optionalChoice, textOf } from '../http/request.ts'
import { type Answer, json, Refusal } from '../http/response.ts'
import { matchRoute, type Route, route } from '../http/router.ts'
import { endGrants, narrowGrants } from '../state/grants.ts'
import { createProfile, listProfiles, seed } from '../state/profiles.ts'
import { type Link, networks, type Person } from '../state/rows.ts'

const prefix = '/__sandbox'

export function isControl(call: Call): boolean {
  return call.path === prefix || call.path.startsWith(`${prefix}/`)
}

/** What tests and demos use to look behind the networks and to make things happen there. */
export async function serveControl(call: Call, token: string): Promise<Answer> {
  if (call.headers.authorization !== `Bearer ${token}`)
    return json({ error: 'Send the sandbox token as a bearer.' }, 401)
  const match = matchRoute(routes, call.method, call.path.slice(prefix.length))
  if (!match) return json({ error: `The sandbox has no ${call.method} ${call.path}.` }, 404)
  call.params = match.params
  try {
    return await match.route.handle(call)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

const routes: Route[] = [
  route('GET', '/ledger', 'posts', (call) => json({ entries: ledger(call) })),
  route('GET', '/usage', 'posts', (call) => json({ usage: call.world.charges.list() })),
  route('GET', '/crm', 'posts', (call) => json({ records: call.world.crm.all() })),
  route('POST', '/inject', 'posts', (call) => json(inject(call))),
  route('POST', '/fault', 'posts', planFault),
  route('GET', '/faults', 'posts', (call) => json({ faults: call.world.faults.list() })),
  route('DELETE', '/faults', 'posts', clearFaults),
  route('POST', '/clock', 'posts', moveClock),
  route('GET', '/clock', 'posts', timeNow),
  route('POST', '/reset', 'posts', reset),
  route('POST', '/profile', 'posts', (call) => json(createProfile(call))),
  route('GET', '/profiles', 'posts', (call) => json({ profiles: listProfiles(call) })),
  route('POST', '/token', 'posts', endTokens),
  route('POST', '/processing', 'posts', setProcessing),
  route('POST', '/app', 'posts', setProducts),
  route('POST', '/limits', 'posts', setLimits),
  route('POST', '/dashboard', 'subscribe', enterCallback),
  route('POST', '/push', 'posts', setPush),
  route('GET', '/push', 'posts', (call) => json({ deliveries: call.world.push.list() })),
]

function planFault(call: Call): Answer {
  const network = optionalChoice(call, 'network', faultPlaces)
  const operation = optionalChoice(call, 'operation', operations)
  const profile = textOf(call, 'profile')
  const fault = choice(call, 'fault', faultNames)
  call.world.faults.plan({
    ...(fault === 'answer' ? scriptedAnswer(call) : {}),
    ...(network ? { network } : {}),
    ...(operation ? { operation } : {}),
    ...(profile ? { profile: profile.split(':').at(-1) ?? profile } : {}),
    fault,
    count: numberOf(call, 'count') ?? 1,
    delayMs: numberOf(call, 'delayMs') ?? 1000,
  })
  return json({ faults: call.world.faults.list() })
}

function scriptedAnswer(call: Call) {
  const given = objectOf(call, 'answer')
  const status = given && numberOf(given, 'status')
  if (!given || status === undefined) throw controlError('answer must have a status.')
  const headers = Object.entries(objectOf(given, 'headers') ?? {}).map(([name, value]) => [name, String(value)])
  const isText = typeof given.body === 'string'
  return {
    afterEffect: flagOf(call, 'afterEffect'),
    answer: {
      status,
      headers: { ...(isText ? {} : { 'content-type': 'application/json' }), ...Object.fromEntries(headers) },
      body: isText ? String(given.body) : JSON.stringify(given.body ?? {}),
    },
  }
}

function moveClock(call: Call): Answer {
  const { world } = call
  const now = textOf(call, 'now')
  const advance = numberOf(call, 'advanceMs')
  const time = now === undefined ? undefined : (numberOf(call, 'now') ?? Date.parse(now))
  if (Number.isNaN(time ?? 0)) throw controlError('now must be milliseconds or an ISO time.')
  if (time === undefined && advance === undefined) throw controlError('Give advanceMs or now.')
  if (time !== undefined) world.clock.set(time)
  world.clock.advance(advance ?? 0)
  world.keepClock()
  world.push.pump()
  return timeNow(call)
}

function timeNow({ world }: Call): Answer {
  return json({ now: world.clock.now(), iso: new Date(world.clock.now()).toISOString() })
}

function reset(call: Call): Answer {
  call.world.reset()
  seed(call.world)
  return json({ profiles: listProfiles(call) })
}

function endTokens(call: Call): Answer {
  const network = choice(call, 'network', networks)
  const scope = textOf(call, 'withoutScope')
  if (scope) return json({ tokens: narrowGrants(call.world, network, textOf(call, 'profile') ?? '', scope) })
  const deaths = { expire: 'expired', revoke: 'revoked', password: 'password' } as const
  const death = deaths[choice(call, 'action', ['expire', 'revoke', 'password'])]
  return json({ tokens: endGrants(call.world, network, textOf(call, 'profile') ?? '', death) })
}

function setProcessing(call: Call): Answer {
  const delayMs = numberOf(call, 'delayMs')
  const failure = textOf(call, 'failure')
  const idDelayMs = numberOf(call, 'idDelayMs')
  call.world.processing.set(choice(call, 'network', networks), {
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(failure ? { failure } : {}),
    ...(idDelayMs === undefined ? {} : { idDelayMs }),
  })
  return json({ done: true })
}

/** What the app has been given by a network; without `products` what it has at first. */
function setProducts(call: Call): Answer {
  const network = choice(call, 'network', networks)
  const products = optionalChoice(call, 'products', ['community-management', 'share', 'share-advertising'] as const)
  if (products) call.world.products.set(network, products)
  else call.world.products.delete(network)
  return json({ done: true })
}

/** How a network's pushes go astray: not at all, sent twice, with a wrong signature, or never sent. */
function setPush(call: Call): Answer {
  const behaviour = choice(call, 'behaviour', pushBehaviours)
  const network = optionalChoice(call, 'network', networks)
  for (const one of network ? [network] : networks) call.world.push.behave(one, behaviour)
  return json({ behaviour })
}

/** `factor` stretches every limit; `limits` sets some by the names the README lists. */
function setLimits(call: Call): Answer {
  const { rates } = call.world
  if (flagOf(call, 'clear')) {
    rates.clear()
    call.world.charges.clear()
  }
  rates.factor = numberOf(call, 'factor') ?? rates.factor
  for (const [name, limit] of Object.entries(objectOf(call, 'limits') ?? {})) rates.override(name, Number(limit))
  return json({ factor: rates.factor })
}

function clearFaults({ world }: Call): Answer {
  world.faults.clear()
  return json({ faults: [] })
}

/** Somebody does something to a profile, as if on the network itself: a stranger, or with `own` the profile's people by hand. */
function inject(call: Call): { remoteId: string; threadId: string | null } {
  const { world } = call
  const network = choice(call, 'network', networks)
  const wanted = textOf(call, 'profile') ?? ''
  const profile = world.profile(network, wanted) ?? world.profile(network, wanted.split(':').at(-1) ?? '')
  if (!profile) throw controlError(`${network} has no profile ${wanted}.`)
  try {
    const item = act(world, profile, {
      kind: choice(call, 'kind', actKinds),
      from: personIn(call),
      own: textOf(call, 'own') === 'true',
      text: textOf(call, 'text') ?? '',
      parentId: textOf(call, 'remoteId') ?? textOf(call, 'parentId') ?? textOf(call, 'postRemoteId'),
      threadId: textOf(call, 'threadId'),
      pictures: textOf(call, 'picture') === 'true' ? 1 : (numberOf(call, 'picture') ?? 0),
      silent: textOf(call, 'push') === 'false',
    })
    return { remoteId: item.id, threadId: item.threadId ?? null }
  } catch (error) {
    if (error instanceof Impossible) throw controlError(error.message)
    throw error
  }
}

function personIn(call: Call): Person {
  const given = objectOf(call, 'from') ?? {}
  const id = textOf(given, 'id') ?? '7000000000000001'
  const name = textOf(given, 'name') ?? 'Somebody Outside'
  const username = textOf(given, 'username') ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const email = textOf(given, 'email')
  return { id: id.split(':').at(-1) ?? id, name, username, ...(email === undefined ? {} : { email }) }
}

/** All that profiles did through their networks' APIs, in the order in which it took effect. */
function ledger(call: Call) {
  const profile = textOf(call, 'profile')?.split(':').at(-1)
  const wanted = { network: textOf(call, 'network'), profile, kind: textOf(call, 'kind') }
  return call.world.items
    .all()
    .filter(({ own, extra }) => own && !extra?.byHand)
    .filter((item) =>
      (['network', 'profile', 'kind'] as const).every((name) => [undefined, '', item[name]].includes(wanted[name])),
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
        const media = mediaOf(call.world, item.network, id)
        const url = `${call.origin}/media/${media?.sha256}`
        return { id, mime: media?.mime, bytes: media?.bytes, sha256: media?.sha256, alt: media?.alt ?? null, url }
      }),
      at: new Date(item.at).toISOString(),
      removedAt: item.removedAt === undefined ? null : new Date(item.removedAt).toISOString(),
      extra: item.extra ?? {},
    }))
}

/** What stands on the card of a link, where the network lets the author say it. */
function linkCard({ title, description, image }: Link) {
  return { title: title ?? null, description: description ?? null, image: image ?? null }
}
