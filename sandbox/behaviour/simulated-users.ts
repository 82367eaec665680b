import { facebookPush } from '../facebook/push.ts'
import { instagramPush } from '../instagram/push.ts'
import { linkedinPush } from '../linkedin/push.ts'
import { names } from '../manifests.ts'
import { messagesIn, personOf, remove, threadOf, threadWith } from '../state/items.ts'
import type { Item, ItemKind, Network, Person, Profile } from '../state/rows.ts'
import type { World } from '../state/state.ts'
import { keyOf } from '../state/storage.ts'
import { tiktokPush } from '../tiktok/push.ts'
import { twitterPush } from '../x/push.ts'
import { keepMedia } from './media.ts'

export const actKinds = ['post', 'comment', 'reply', 'mention', 'message', 'like', 'share', 'edit', 'delete'] as const
export type ActKind = (typeof actKinds)[number]

/** What somebody does on a network itself, by hand. */
export interface Act {
  kind: ActKind
  from: Person
  /** It is the profile itself that does it. */
  own?: boolean
  text: string
  /** What it is under, or what is changed. */
  parentId?: string | undefined
  threadId?: string | undefined
  /** Comes with so many pictures. */
  pictures?: number
  /** Nobody is told. */
  silent?: boolean
}

/** Why something cannot be done on a network. */
export class Impossible extends Error {}

type Announce = (world: World, profile: Profile, item: Item) => void

/** YouTube pushes uploads only, so there is nothing to tell about what others say. */
const announce: Partial<Record<Network, Announce>> = {
  Facebook: facebookPush,
  Instagram: instagramPush,
  LinkedIn: linkedinPush,
  Twitter: twitterPush,
  TikTok: tiktokPush,
}

/** Somebody acts, as if on the network itself; subscribers are told as the network tells them. */
export function act(world: World, profile: Profile, wish: Act): Item {
  const item =
    wish.kind === 'edit' || wish.kind === 'delete' ? changed(world, profile, wish) : made(world, profile, wish)
  if (!wish.silent) announce[profile.network]?.(world, profile, item)
  return item
}

function changed(world: World, profile: Profile, { kind, parentId, text }: Act): Item {
  const item = parentIn(world, profile, parentId)
  if (!item) throw new Impossible(`To ${kind} something needs remoteId.`)
  if (kind === 'delete') remove(world, item)
  else world.items.change(item, { text, updatedAt: world.clock.now() })
  return item
}

function made(world: World, profile: Profile, wish: Act): Item {
  const { network, id } = profile
  const from = wish.own ? personOf(profile) : wish.from
  const media = Array.from(
    { length: wish.pictures ?? 0 },
    () => keepMedia(world, { network, id: names[network].like(from, nowhere), profile: id, bytes: picture }).id,
  )
  return world.items.put({
    network,
    profile: id,
    from,
    own: wish.own ?? false,
    text: wish.text,
    media,
    at: world.clock.now(),
    ...(wish.own && { extra: { byHand: true } }),
    ...placed(world, profile, { ...wish, from }),
  })
}

type Placed = Pick<Item, 'id' | 'kind'> & Partial<Item>

function placed(world: World, profile: Profile, wish: Act): Placed {
  const { kind, from } = wish
  if (kind === 'message') return message(world, profile, wish)
  const parent = parentIn(world, profile, wish.parentId)
  const known = names[profile.network]
  if (kind === 'post') return { id: known.mention(from), kind }
  if (kind === 'mention' || kind === 'share') {
    if (profile.network === 'YouTube') throw new Impossible(`YouTube has no ${kind}s.`)
    const id = known.mention(from)
    return parent ? { id, kind, ...under(world, parent) } : { id, kind }
  }
  if (!parent) throw new Impossible(`A ${kind} needs postRemoteId or parentId.`)
  if (kind === 'like') return { id: known.like(from, parent), kind, ...under(world, parent) }
  return { id: known.comment(postOf(world, parent), parent), kind: saidAs(profile.network), ...under(world, parent) }
}

/** X knows no comments, only posts that answer posts; the others know no replies, only comments under comments. */
function saidAs(network: Network): ItemKind {
  return network === 'Twitter' ? 'reply' : 'comment'
}

function message(world: World, profile: Profile, { from, own, threadId, parentId }: Act): Placed {
  const { network } = profile
  if (network === 'YouTube') throw new Impossible('YouTube has no direct messages.')
  const named = threadId ?? (own ? parentId : undefined)
  const known = named === undefined ? undefined : threadOf(world, network, named)
  if (named !== undefined && !known) throw new Impossible(`${network} has no thread ${named}.`)
  if (own && !known) throw new Impossible('A message of the profile itself needs threadId.')
  const person = known?.person ?? from
  const thread = known ?? threadWith(world, network, profile.id, person, () => names[network].thread(profile, person))
  const us = personOf(profile)
  const extra = { first: messagesIn(world, thread).length === 0, ...(own && { byHand: true }) }
  const sides = own ? { from: us, to: person } : { from: person, to: us }
  return { id: names[network].message(), kind: 'message', ...sides, threadId: thread.id, extra }
}

function parentIn(world: World, profile: Profile, id: string | undefined): Item | undefined {
  if (id === undefined) return undefined
  const parent = world.items.live(profile.network, id)
  if (!parent) throw new Impossible(`${profile.network} has nothing under ${id}.`)
  return parent
}

const under = (world: World, parent: Item): Partial<Item> => ({ postId: postOf(world, parent).id, parentId: parent.id })

const postOf = (world: World, item: Item): Item => world.items.get(keyOf(item.network, item.postId ?? item.id)) ?? item

/** Something that a name can be made of. */
const nowhere = { id: 'nowhere' } as Item

/** The smallest picture there is. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Somebody outside does something every so often, network by network and kind by kind, in eight languages. */
export function startSimulatedVisitors(world: World, everyMs: number): { stop(): void } {
  let turn = 0
  const timer = setInterval(() => {
    // What one network has no way for, the next one may.
    for (let tries = 0; tries < visits.length; tries++) if (visit(world, turn++)) return
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const visitedNetworks: readonly Network[] = ['Facebook', 'LinkedIn', 'Twitter', 'Instagram', 'YouTube', 'TikTok']
const visitKinds: readonly ActKind[] = ['comment', 'message', 'mention', 'reply', 'like']

/** Every network with every kind, so that neighbours differ in both. */
const visits = visitKinds.flatMap((_, shift) =>
  visitedNetworks.map((network, at) => ({ network, kind: visitKinds[(at + shift) % visitKinds.length] as ActKind })),
)

/** Whether it was possible. */
function visit(world: World, turn: number): boolean {
  const { network, kind } = visits[turn % visits.length] as (typeof visits)[number]
  const profile = world.profiles.all().find((one) => one.network === network && one.kind !== 'member')
  if (!profile) return false
  const from = visitors[turn % visitors.length] as (typeof visitors)[number]
  const { text, name } = from
  const person = { id: String(7_200_000_000_000_000 + (turn % visitors.length)), name, username: usernameFor(name) }
  try {
    const parentId = kind === 'message' || kind === 'mention' ? undefined : visitTarget(world, profile, kind)
    act(world, profile, { kind, from: person, text: kind === 'like' ? '' : text, parentId })
    return true
  } catch (error) {
    if (error instanceof Impossible) return false
    throw error
  }
}

/** The newest thing there is to comment on, or to answer; a post is made by hand where there is none. */
function visitTarget(world: World, profile: Profile, kind: ActKind): string {
  const newest = (...of: ItemKind[]) => world.items.ofProfile(profile.network, profile.id, ...of).at(-1)?.id
  const said = kind === 'reply' || kind === 'like' ? newest('comment', 'reply') : undefined
  return (
    said ?? newest('post') ?? act(world, profile, { kind: 'post', own: true, from: noAuthor, text: fallbackPost }).id
  )
}

const noAuthor = { id: '0', name: '' }
const fallbackPost = 'Fresh snow on the pass this morning. Who is coming along?'

const usernameFor = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_')

const visitors = [
  { name: 'Harriet Quill', text: 'Does the blue tent come with a footprint, or is that sold separately?' },
  { name: 'Jonas Reuter', text: 'Mein Paket ist seit einer Woche unterwegs. Könnt ihr bitte nachsehen?' },
  { name: 'Camille Aubert', text: 'Superbe randonnée, merci pour l’idée ! Le refuge est-il ouvert en mai ?' },
  { name: 'Lucía Robles', text: '¿Hacen envíos a las islas Canarias? No lo encuentro en la página.' },
  { name: 'Davide Conti', text: 'Lo zaino è comodissimo, ma una cinghia si è staccata dopo due uscite.' },
  { name: '佐藤 美咲', text: 'このジャケットは洗濯機で洗えますか？' },
  { name: 'Marta Zielińska', text: 'Czy sklep w Krakowie jest otwarty w niedzielę?' },
  { name: 'Tiago Nunes', text: 'A loja do Porto já tem as botas novas? Queria experimentar antes de comprar.' },
  { name: 'Priya Nair', text: 'We took your map to the coast last week. It got every path right, thank you!' },
  { name: 'Lena Brandt', text: 'Gibt es die Jacke auch in Kindergrößen?' },
] as const
