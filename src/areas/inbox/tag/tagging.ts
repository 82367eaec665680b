import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { changeItems } from '../acting/item-change.ts'
import { tellItems } from '../item/item.events.ts'
import { holdItem, type ItemRow } from '../item/item-row.ts'
import { addEachEntry } from '../timeline/entry.ts'
import { ensureTags, findTags, type TagName } from './tag-names.ts'

/** Gives one conversation exactly these tags. */
export async function replaceTags(context: Context, { id, tags: names }: { id: string; tags: readonly string[] }) {
  const item = await holdItem(context, id)
  const wanted = sorted(await ensureTags(context, names))
  await changeTags(context, [item], () => wanted)
  return { tags: wanted }
}

/** Gives conversations that are held tags, or takes some from them; gives those that have others now. */
export async function addOrRemoveTags(
  context: Context,
  items: readonly ItemRow[],
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<ItemRow[]> {
  const added = await ensureTags(context, add)
  const gone = new Set((await findTags(context, remove)).map(({ id }) => id))
  const next = (current: readonly TagName[]) => {
    const kept = current.filter(({ id }) => !gone.has(id))
    return [...kept, ...added.filter(({ id }) => !kept.some((tag) => tag.id === id))]
  }
  return changeTags(context, items, next)
}

/** The tags of each of these conversations, A to Z. */
export async function tagsOfItems({ db, accountId }: Context, itemIds: readonly string[]) {
  const tags = new Map<string, TagName[]>(itemIds.map((id) => [id, []]))
  if (itemIds.length === 0) return tags
  const rows = await db
    .selectFrom('inboxItemTags as t')
    .innerJoin('conversationTags as c', (join) => join.on('c.accountId', '=', accountId).onRef('c.id', '=', 't.tagId'))
    .select(['t.itemId', 'c.id', 'c.value as name'])
    .where('t.accountId', '=', accountId)
    .where('t.itemId', 'in', itemIds)
    .orderBy(sql`lower(c.value)`)
    .execute()
  for (const { itemId, ...tag } of rows) tags.get(itemId)?.push(tag)
  return tags
}

const mostTags = 100

/** Changes the tags of conversations that are held, tells of those that have others now, and gives them. */
async function changeTags(
  context: Context,
  items: readonly ItemRow[],
  next: (current: readonly TagName[]) => readonly TagName[],
): Promise<ItemRow[]> {
  const before = await tagsOfItems(
    context,
    items.map(({ id }) => id),
  )
  const changes = items.flatMap((item) => {
    const had = before.get(item.id) ?? []
    const current = sorted(next(had))
    if (current.length > mostTags) throw invalid(`A conversation can have ${mostTags} tags.`)
    const added = without(current, had)
    const removed = without(had, current)
    return added.length + removed.length > 0 ? [{ item, added, removed, current }] : []
  })
  if (changes.length === 0) return []
  await write(context, changes)
  const changed = await changeItems(
    context,
    changes.map(({ item }) => item),
  )
  await addEachEntry(
    context,
    changes.map(({ item, added, removed }) => ({ item, type: 'tag', details: { added, removed } })),
  )
  await tellItems(
    context,
    'inboxItemTagChange',
    changes.map(({ added, removed, current }, at) => ({
      item: changed[at] as ItemRow,
      more: { Tags: { Added: told(added), Removed: told(removed), Current: told(current) } },
    })),
  )
  return changed
}

interface TagChange {
  item: ItemRow
  added: readonly TagName[]
  removed: readonly TagName[]
}

async function write({ db, accountId, now: created }: Context, changes: readonly TagChange[]) {
  const rows = changes.flatMap(({ item, added }) =>
    added.map(({ id: tagId }) => ({ accountId, itemId: item.id, tagId, created })),
  )
  if (rows.length > 0) await db.insertInto('inboxItemTags').values(rows).execute()
  const gone = changes.flatMap(({ item, removed }) => removed.map(({ id }) => ({ itemId: item.id, tagId: id })))
  if (gone.length === 0) return
  await sql`
    delete from inbox_item_tags t using unnest(${gone.map(({ itemId }) => itemId)}::text[], ${gone.map(({ tagId }) => tagId)}::text[])
      as g (item_id, tag_id)
    where t.account_id = ${accountId} and t.item_id = g.item_id and t.tag_id = g.tag_id`.execute(db)
}

const without = (tags: readonly TagName[], others: readonly TagName[]) =>
  tags.filter(({ id }) => !others.some((tag) => tag.id === id))

/** A to Z. */
const sorted = (tags: readonly TagName[]) =>
  tags.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1))

const told = (tags: readonly TagName[]) => tags.map(({ id: Id, name: Name }) => ({ Id, Name }))
