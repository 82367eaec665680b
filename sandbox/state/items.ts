import type { Item, Network, Person, Profile, Thread } from './rows.ts'
import type { SandboxState } from './state.ts'
import { keyOf } from './storage.ts'

type NewItem = Omit<Item, 'network' | 'profile' | 'from' | 'own' | 'at' | 'media'> & { media?: string[] }

/** Stores an item that a profile created through the API; it is also the ledger entry. */
export function recordAction(state: SandboxState, profile: Profile, action: NewItem): Item {
  return state.items.put({
    media: [],
    ...action,
    network: profile.network,
    profile: profile.id,
    from: personOf(profile),
    own: true,
    at: state.clock.now(),
  })
}

export function personOf({ id, name, username }: Profile): Person {
  return { id, name, username }
}

/** Marks an item and its descendants as removed; the ledger keeps them. */
export function removeItem(state: SandboxState, item: Item) {
  for (const child of state.items.childrenOf(item)) removeItem(state, child)
  state.items.change(item, { removedAt: state.clock.now() })
}

export function newestFirst(items: Item[]): Item[] {
  return items.toReversed()
}

/** Each pair of profile and person has one thread. */
export function findOrCreateThread(
  state: SandboxState,
  network: Network,
  profile: string,
  person: Person,
  newId: () => string,
) {
  const known = state.threads.find(
    (thread) => thread.network === network && thread.profile === profile && thread.person.id === person.id,
  )
  return known ?? state.threads.put({ network, id: newId(), profile, person })
}

export function findThread(state: SandboxState, network: Network, id: string): Thread | undefined {
  return state.threads.get(keyOf(network, id))
}

export function threadsOf(state: SandboxState, network: Network, profile: string): Thread[] {
  return state.threads.all().filter((thread) => thread.network === network && thread.profile === profile)
}

/** Oldest first. */
export function messagesIn(state: SandboxState, { network, profile, id }: Thread): Item[] {
  return state.items.ofProfile(network, profile, 'message').filter(({ threadId }) => threadId === id)
}

/** Time of the last message from the other side, which opens the messaging window. */
export function lastInboundAt(state: SandboxState, thread: Thread): number | undefined {
  return messagesIn(state, thread).findLast(({ own }) => !own)?.at
}

/** A user known from a thread or as an author. */
export function findPerson(state: SandboxState, network: Network, id: string): Person | undefined {
  const thread = state.threads.find((row) => row.network === network && row.person.id === id)
  return thread?.person ?? state.items.find((item) => item.network === network && item.from.id === id)?.from
}

export function splitName(name: string): { first: string; last: string } {
  const [first = '', ...rest] = name.split(' ')
  return { first, last: rest.join(' ') }
}
