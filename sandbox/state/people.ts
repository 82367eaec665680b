import type { Network, Person } from './rows.ts'
import type { World } from './world.ts'

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
