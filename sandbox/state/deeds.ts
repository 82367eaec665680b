import type { Item, Person, Profile } from './rows.ts'
import type { World } from './world.ts'

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
