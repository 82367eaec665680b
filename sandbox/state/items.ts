import type { Item, Network, Person, Profile, Thread } from './rows.ts'
import type { World } from './state.ts'
import { keyOf } from './storage.ts'

type Deed = Omit<Item, 'network' | 'profile' | 'from' | 'own' | 'at' | 'media'> & { media?: string[] }

/** What a profile did through its network's API: the entry of the ledger and the thing itself in one. */
export function record(world: World, profile: Profile, deed: Deed): Item {
  return world.items.put({
    media: [],
    ...deed,
    network: profile.network,
    profile: profile.id,
    from: personOf(profile),
    own: true,
    at: world.clock.now(),
  })
}

export function personOf({ id, name, username }: Profile): Person {
  return { id, name, username }
}

/** Takes an item away with all that hangs under it; the ledger still knows that it was there. */
export function remove(world: World, item: Item) {
  for (const answer of world.items.under(item)) remove(world, answer)
  world.items.change(item, { removedAt: world.clock.now() })
}

/** The newest posts first, as every network lists them. */
export function newestFirst(items: Item[]): Item[] {
  return items.toReversed()
}

/** The talk between a profile and a person; each pair has one. */
export function threadWith(world: World, network: Network, profile: string, person: Person, newId: () => string) {
  const known = world.threads.find(
    (thread) => thread.network === network && thread.profile === profile && thread.person.id === person.id,
  )
  return known ?? world.threads.put({ network, id: newId(), profile, person })
}

export function threadOf(world: World, network: Network, id: string): Thread | undefined {
  return world.threads.get(keyOf(network, id))
}

export function threadsOf(world: World, network: Network, profile: string): Thread[] {
  return world.threads.all().filter((thread) => thread.network === network && thread.profile === profile)
}

/** Oldest first. */
export function messagesIn(world: World, { network, profile, id }: Thread): Item[] {
  return world.items.ofProfile(network, profile, 'message').filter(({ threadId }) => threadId === id)
}

/** When the other side last wrote: the networks' windows for answers are counted from there. */
export function lastInboundAt(world: World, thread: Thread): number | undefined {
  return messagesIn(world, thread).findLast(({ own }) => !own)?.at
}

/** Somebody outside who was seen on a network: in a thread, or as the author of something. */
export function seenPerson(world: World, network: Network, id: string): Person | undefined {
  const thread = world.threads.find((row) => row.network === network && row.person.id === id)
  return thread?.person ?? world.items.find((item) => item.network === network && item.from.id === id)?.from
}

/** First name and the rest, as networks like to have them apart. */
export function nameParts(name: string): { first: string; last: string } {
  const [first = '', ...rest] = name.split(' ')
  return { first, last: rest.join(' ') }
}
