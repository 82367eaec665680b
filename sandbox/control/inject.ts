import { facebookPush } from '../facebook/push.ts'
import type { Call } from '../http/call.ts'
import { objectOf, textOf } from '../http/fields.ts'
import { instagramPush } from '../instagram/push.ts'
import { linkedinPush } from '../linkedin/push.ts'
import { names } from '../manifests.ts'
import { keyOf } from '../state/items.ts'
import { type Item, type ItemKind, type Network, networks, type Person, type Profile } from '../state/rows.ts'
import { messagesIn, threadOf, threadWith } from '../state/threads.ts'
import type { World } from '../state/world.ts'
import { tiktokPush } from '../tiktok/push.ts'
import { twitterPush } from '../x/push.ts'
import { choice, wrong } from './choices.ts'

const kinds = ['comment', 'reply', 'mention', 'message', 'like'] as const

type Announce = (world: World, profile: Profile, item: Item) => void

/** YouTube pushes uploads only, so there is nothing to tell about what others say. */
const announce: Partial<Record<Network, Announce>> = {
  Facebook: facebookPush,
  Instagram: instagramPush,
  LinkedIn: linkedinPush,
  Twitter: twitterPush,
  TikTok: tiktokPush,
}

/** Somebody outside does something to a profile, as if on the network itself. */
export function inject(call: Call): { remoteId: string; threadId: string | null } {
  const { world } = call
  const network = choice(call, 'network', networks)
  const wanted = textOf(call, 'profile') ?? ''
  const profile = world.profile(network, wanted) ?? world.profile(network, wanted.split(':').at(-1) ?? '')
  if (!profile) throw wrong(`${network} has no profile ${wanted}.`)
  const item = world.items.put({
    network,
    profile: profile.id,
    from: personIn(call),
    own: false,
    text: textOf(call, 'text') ?? '',
    media: [],
    at: world.clock.now(),
    ...placed(call, profile, choice(call, 'kind', kinds)),
  })
  if (textOf(call, 'push') !== 'false') announce[network]?.(world, profile, item)
  return { remoteId: item.id, threadId: item.threadId ?? null }
}

type Placed = Pick<Item, 'id' | 'kind'> & Partial<Item>

function placed(call: Call, profile: Profile, kind: (typeof kinds)[number]): Placed {
  if (kind === 'message') return message(call, profile)
  const from = personIn(call)
  const parent = parentIn(call, profile)
  if (kind === 'mention') {
    if (profile.network === 'YouTube') throw wrong('YouTube has no mentions.')
    const id = names[profile.network].mention(from)
    return parent ? { id, kind, ...under(call, parent) } : { id, kind }
  }
  if (!parent) throw wrong(`A ${kind} needs postRemoteId or parentId.`)
  if (kind === 'like') return { id: names[profile.network].like(from, parent), kind, ...under(call, parent) }
  return {
    id: names[profile.network].comment(postOf(call, parent), parent),
    kind: saidAs(profile.network),
    ...under(call, parent),
  }
}

/** X knows no comments, only posts that answer posts; the others know no replies, only comments under comments. */
function saidAs(network: Network): ItemKind {
  return network === 'Twitter' ? 'reply' : 'comment'
}

function message(call: Call, profile: Profile): Placed {
  const { network } = profile
  if (network === 'YouTube') throw wrong('YouTube has no direct messages.')
  const threadId = textOf(call, 'threadId')
  const known = threadId === undefined ? undefined : threadOf(call.world, network, threadId)
  if (threadId !== undefined && !known) throw wrong(`${network} has no thread ${threadId}.`)
  const person = known?.person ?? personIn(call)
  const thread =
    known ?? threadWith(call.world, network, profile.id, person, () => names[network].thread(profile, person))
  const { id, name, username } = profile
  const first = messagesIn(call.world, thread).length === 0
  const extra = { first }
  return {
    id: names[network].message(),
    kind: 'message',
    from: person,
    to: { id, name, username },
    threadId: thread.id,
    extra,
  }
}

function parentIn(call: Call, profile: Profile): Item | undefined {
  const id = textOf(call, 'parentId') ?? textOf(call, 'postRemoteId')
  if (id === undefined) return undefined
  const parent = call.world.items.live(profile.network, id)
  if (!parent) throw wrong(`${profile.network} has nothing under ${id}.`)
  return parent
}

function under(call: Call, parent: Item): Partial<Item> {
  return { postId: postOf(call, parent).id, parentId: parent.id }
}

function postOf(call: Call, item: Item): Item {
  return call.world.items.get(keyOf(item.network, item.postId ?? item.id)) ?? item
}

function personIn(call: Call): Person {
  const given = objectOf(call, 'from') ?? {}
  const id = textOf(given, 'id') ?? '7000000000000001'
  const name = textOf(given, 'name') ?? 'Somebody Outside'
  const username = textOf(given, 'username') ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const email = textOf(given, 'email')
  return { id: id.split(':').at(-1) ?? id, name, username, ...(email === undefined ? {} : { email }) }
}
