import { facebookPush } from '../facebook/push.ts'
import { instagramPush } from '../instagram/push.ts'
import { linkedinPush } from '../linkedin/push.ts'
import { idFormats } from '../manifests.ts'
import { findOrCreateThread, findThread, messagesIn, personOf, removeItem } from '../state/items.ts'
import type { Item, ItemKind, Network, Person, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { keyOf } from '../state/storage.ts'
import { tiktokPush } from '../tiktok/push.ts'
import { twitterPush } from '../x/push.ts'
import { storeMedia } from './media.ts'

export const actionKinds = [
  'post',
  'comment',
  'reply',
  'mention',
  'message',
  'like',
  'share',
  'edit',
  'delete',
] as const
export type ActionKind = (typeof actionKinds)[number]

/** An action performed on the network itself, not through its API. */
export interface SimulatedAction {
  kind: ActionKind
  from: Person
  /** Performed by the owner of the profile. */
  own?: boolean
  text: string
  /** The parent item, or the item to change. */
  parentId?: string | undefined
  threadId?: string | undefined
  /** Number of attached images. */
  pictures?: number
  /** No webhook is sent. */
  withoutPush?: boolean
}

/** An action that the network does not support. */
export class UnsupportedAction extends Error {}

type PushHandler = (state: SandboxState, profile: Profile, item: Item) => void

/** YouTube pushes uploads only, not comments. */
const pushHandlers: Partial<Record<Network, PushHandler>> = {
  Facebook: facebookPush,
  Instagram: instagramPush,
  LinkedIn: linkedinPush,
  Twitter: twitterPush,
  TikTok: tiktokPush,
}

/** Performs an action as if on the network itself, and pushes it to subscribers. */
export function simulateAction(state: SandboxState, profile: Profile, action: SimulatedAction): Item {
  const item =
    action.kind === 'edit' || action.kind === 'delete'
      ? changeItem(state, profile, action)
      : createItem(state, profile, action)
  if (!action.withoutPush) pushHandlers[profile.network]?.(state, profile, item)
  return item
}

function changeItem(state: SandboxState, profile: Profile, { kind, parentId, text }: SimulatedAction): Item {
  const item = findParent(state, profile, parentId)
  if (!item) throw new UnsupportedAction(`To ${kind} something needs remoteId.`)
  if (kind === 'delete') removeItem(state, item)
  else state.items.change(item, { text, updatedAt: state.clock.now() })
  return item
}

function createItem(state: SandboxState, profile: Profile, action: SimulatedAction): Item {
  const { network, id } = profile
  const from = action.own ? personOf(profile) : action.from
  const media = Array.from(
    { length: action.pictures ?? 0 },
    () =>
      storeMedia(state, {
        network,
        id: idFormats[network].like(from, placeholderItem),
        profile: id,
        bytes: onePixelPng,
      }).id,
  )
  return state.items.put({
    network,
    profile: id,
    from,
    own: action.own ?? false,
    text: action.text,
    media,
    at: state.clock.now(),
    ...(action.own && { extra: { byHand: true } }),
    ...placementOf(state, profile, { ...action, from }),
  })
}

type ItemPlacement = Pick<Item, 'id' | 'kind'> & Partial<Item>

function placementOf(state: SandboxState, profile: Profile, action: SimulatedAction): ItemPlacement {
  const { kind, from } = action
  if (kind === 'message') return messagePlacement(state, profile, action)
  const parent = findParent(state, profile, action.parentId)
  const known = idFormats[profile.network]
  if (kind === 'post') return { id: known.mention(from), kind }
  if (kind === 'mention' || kind === 'share') {
    if (profile.network === 'YouTube') throw new UnsupportedAction(`YouTube has no ${kind}s.`)
    const id = known.mention(from)
    return parent ? { id, kind, ...parentIds(state, parent) } : { id, kind }
  }
  if (!parent) throw new UnsupportedAction(`A ${kind} needs postRemoteId or parentId.`)
  if (kind === 'like') return { id: known.like(from, parent), kind, ...parentIds(state, parent) }
  return {
    id: known.comment(postOf(state, parent), parent),
    kind: commentKind(profile.network),
    ...parentIds(state, parent),
  }
}

/** X has replies instead of comments; the other networks nest comments. */
function commentKind(network: Network): ItemKind {
  return network === 'Twitter' ? 'reply' : 'comment'
}

function messagePlacement(
  state: SandboxState,
  profile: Profile,
  { from, own, threadId, parentId }: SimulatedAction,
): ItemPlacement {
  const { network } = profile
  if (network === 'YouTube') throw new UnsupportedAction('YouTube has no direct messages.')
  const named = threadId ?? (own ? parentId : undefined)
  const known = named === undefined ? undefined : findThread(state, network, named)
  if (named !== undefined && !known) throw new UnsupportedAction(`${network} has no thread ${named}.`)
  if (own && !known) throw new UnsupportedAction('A message of the profile itself needs threadId.')
  const person = known?.person ?? from
  const thread =
    known ?? findOrCreateThread(state, network, profile.id, person, () => idFormats[network].thread(profile, person))
  const us = personOf(profile)
  const extra = { first: messagesIn(state, thread).length === 0, ...(own && { byHand: true }) }
  const sides = own ? { from: us, to: person } : { from: person, to: us }
  return { id: idFormats[network].message(), kind: 'message', ...sides, threadId: thread.id, extra }
}

function findParent(state: SandboxState, profile: Profile, id: string | undefined): Item | undefined {
  if (id === undefined) return undefined
  const parent = state.items.live(profile.network, id)
  if (!parent) throw new UnsupportedAction(`${profile.network} has nothing under ${id}.`)
  return parent
}

const parentIds = (state: SandboxState, parent: Item): Partial<Item> => ({
  postId: postOf(state, parent).id,
  parentId: parent.id,
})

const postOf = (state: SandboxState, item: Item): Item =>
  state.items.get(keyOf(item.network, item.postId ?? item.id)) ?? item

/** A stand-in where an id format needs a target. */
const placeholderItem = { id: 'nowhere' } as Item

/** A one-pixel PNG. */
const onePixelPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Performs an action at a fixed interval, rotating through networks, action kinds and eight languages. */
export function startSimulatedVisitors(state: SandboxState, everyMs: number): { stop(): void } {
  let turn = 0
  const timer = setInterval(() => {
    // An action that one network does not support may be supported by the next.
    for (let tries = 0; tries < visits.length; tries++) if (visit(state, turn++)) return
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

const visitedNetworks: readonly Network[] = ['Facebook', 'LinkedIn', 'Twitter', 'Instagram', 'YouTube', 'TikTok']
const visitKinds: readonly ActionKind[] = ['comment', 'message', 'mention', 'reply', 'like']

/** Every network with every kind, ordered so that consecutive visits differ in both. */
const visits = visitKinds.flatMap((_, shift) =>
  visitedNetworks.map((network, at) => ({ network, kind: visitKinds[(at + shift) % visitKinds.length] as ActionKind })),
)

/** Returns whether the network supports the action. */
function visit(state: SandboxState, turn: number): boolean {
  const { network, kind } = visits[turn % visits.length] as (typeof visits)[number]
  const profile = state.profiles.all().find((one) => one.network === network && one.kind !== 'member')
  if (!profile) return false
  const from = visitors[turn % visitors.length] as (typeof visitors)[number]
  const { text, name } = from
  const person = { id: String(7_200_000_000_000_000 + (turn % visitors.length)), name, username: usernameFor(name) }
  try {
    const parentId = kind === 'message' || kind === 'mention' ? undefined : visitTarget(state, profile, kind)
    simulateAction(state, profile, { kind, from: person, text: kind === 'like' ? '' : text, parentId })
    return true
  } catch (error) {
    if (error instanceof UnsupportedAction) return false
    throw error
  }
}

/** The newest item to comment on or reply to; creates a post if there is none. */
function visitTarget(state: SandboxState, profile: Profile, kind: ActionKind): string {
  const newest = (...of: ItemKind[]) => state.items.ofProfile(profile.network, profile.id, ...of).at(-1)?.id
  const comment = kind === 'reply' || kind === 'like' ? newest('comment', 'reply') : undefined
  return (
    comment ??
    newest('post') ??
    simulateAction(state, profile, { kind: 'post', own: true, from: noAuthor, text: fallbackPost }).id
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
