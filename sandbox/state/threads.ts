import { keyOf } from './items.ts'
import type { Item, Network, Person, Thread } from './rows.ts'
import type { World } from './world.ts'

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
