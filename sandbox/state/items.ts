import type { Journal } from './journal.ts'
import type { Item, ItemKind, Network } from './rows.ts'
import { Table } from './table.ts'

/** Posts, comments, messages and likes, found by id, profile and parent without a walk over all of them. */
export class Items extends Table<Item> {
  private readonly byProfile = new Map<string, Item[]>()
  private readonly byParent = new Map<string, Item[]>()
  private readonly byPost = new Map<string, Item[]>()
  private readonly byAlias = new Map<string, Item>()

  constructor(journal: Journal) {
    super('items', (item) => keyOf(item.network, item.id), journal)
  }

  /** What stands under this id today; what was removed is not there any more. */
  live(network: Network, id: string): Item | undefined {
    const item = this.get(keyOf(network, id)) ?? this.byAlias.get(keyOf(network, id))
    return item?.removedAt === undefined ? item : undefined
  }

  ofProfile(network: Network, profile: string, ...kinds: ItemKind[]): Item[] {
    return standing(this.byProfile.get(keyOf(network, profile)), kinds)
  }

  /** With what was removed meanwhile. */
  everOfProfile(network: Network, profile: string): Item[] {
    return this.byProfile.get(keyOf(network, profile)) ?? []
  }

  under(parent: Item, ...kinds: ItemKind[]): Item[] {
    return standing(this.byParent.get(keyOf(parent.network, parent.id)), kinds)
  }

  /** All that was ever said under a post, however deep. */
  inConversation(post: Item): Item[] {
    return standing(this.byPost.get(keyOf(post.network, post.id)), [])
  }

  override restore(key: string, item: Item | undefined) {
    const known = this.get(key)
    if (item && known) {
      // The indexes hold this very object, so whatever takes its place is written into it.
      if (item !== known) {
        for (const name of Object.keys(known)) delete known[name as keyof Item]
        Object.assign(known, item)
      }
      return
    }
    super.restore(key, item)
    if (!item) return
    add(this.byProfile, keyOf(item.network, item.profile), item)
    if (item.parentId) add(this.byParent, keyOf(item.network, item.parentId), item)
    if (item.postId) add(this.byPost, keyOf(item.network, item.postId), item)
    if (item.alias) this.byAlias.set(keyOf(item.network, item.alias), item)
  }

  override clear() {
    super.clear()
    for (const index of [this.byProfile, this.byParent, this.byPost, this.byAlias]) index.clear()
  }
}

export const keyOf = (network: Network, id: string) => `${network}:${id}`

function standing(items: Item[] | undefined, kinds: ItemKind[]): Item[] {
  return (items ?? []).filter(
    ({ kind, removedAt }) => removedAt === undefined && (!kinds.length || kinds.includes(kind)),
  )
}

function add(index: Map<string, Item[]>, key: string, item: Item) {
  const list = index.get(key)
  if (list) list.push(item)
  else index.set(key, [item])
}
