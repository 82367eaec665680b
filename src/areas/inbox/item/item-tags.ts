import { type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

export interface ItemTagRow {
  id: string
  name: string
}

/** The tags of items, in the order of their names. */
export async function tagsOf({ db, accountId }: Context, itemIds: readonly string[]) {
  const tags = new Map<string, ItemTagRow[]>()
  if (itemIds.length === 0) return tags
  const rows = await db
    .selectFrom('inboxItemTags')
    .innerJoin('conversationTags', (join) =>
      join.onRef('conversationTags.id', '=', 'inboxItemTags.tagId').on('conversationTags.accountId', '=', accountId),
    )
    .select(['inboxItemTags.itemId', 'conversationTags.id', 'conversationTags.value as name'])
    .where('inboxItemTags.accountId', '=', accountId)
    .where(sql<SqlBool>`inbox_item_tags.item_id = any (${itemIds})`)
    .orderBy(sql`lower(conversation_tags.value)`)
    .orderBy('conversationTags.id')
    .execute()
  for (const { itemId, ...tag } of rows) tags.set(itemId, [...(tags.get(itemId) ?? []), tag])
  return tags
}

/** The tags that these names name, in whatever case; what is no tag is in no item. */
export async function idsOfTags({ db, accountId }: Context, names: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('conversationTags')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`lower(value) in (select lower(name) from unnest(${names}::text[]) as wanted (name))`)
    .execute()
  return rows.map(({ id }) => id)
}
