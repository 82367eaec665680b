import type { Context } from '#kernel/context.ts'
import type { ItemFilters } from './item-filter.ts'
import { type ItemRow, requireItem } from './item-row.ts'
import { searchItems } from './item-search.ts'
import { idsOfTags, tagsOf } from './item-tags.ts'

interface Search extends Omit<ItemFilters, 'tagIds' | 'isUnread'> {
  tags?: readonly string[] | undefined
  count?: number | undefined
}

const usualCount = 25

/** Items with the latest activity first. */
export async function search(context: Context, { tags, count, ...filters }: Search) {
  const tagIds = tags?.length ? await idsOfTags(context, tags) : undefined
  const { items, total } = await searchItems(context, { ...filters, tagIds }, { limit: count ?? usualCount })
  return { items: items.map(shown), total }
}

export async function get(context: Context, { id }: { id: string }) {
  const item = await requireItem(context, id)
  return { ...shown(item), tags: (await tagsOf(context, [item.id])).get(item.id) ?? [] }
}

/** What everybody is shown of an item: who began it stands for it. */
export const shown = <Item extends Pick<ItemRow, 'assigneeId' | 'personName' | 'personUsername'>>(item: Item) => ({
  ...item,
  assigneeId: item.assigneeId || null,
  profileName: item.personName || item.personUsername,
})
