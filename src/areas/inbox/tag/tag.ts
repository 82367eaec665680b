import { type SqlBool, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { inboxChanges, inboxIds, inboxQuotas } from '../declarations.ts'
import { publishItemsEvent } from '../item/item.events.ts'
import { changeItems, holdItem, type ItemRow } from '../item/item.ts'
import { addEachEntry } from '../item/timeline.ts'

export const longestTag = 64
/** Per conversation, and per request. */
export const mostTags = 100

export async function get(context: Context, { id }: { id: string }) {
  const tag = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!tag) throw missing('Tag')
  return tag
}

export function search(context: Context, { q = '', page }: { q?: string | undefined; page: Page }) {
  const order = { ...page.order, column: page.order.column === 'name' ? 'value' : page.order.column }
  const matching = visible(context).$if(q !== '', (rows) => rows.where('value', 'ilike', contains(q)))
  return paginate(matching, { ...page, order })
}

/** Conversations keep it under its new name; no events, since none of them gained or lost it. */
export async function rename(context: Context, { id, tag: value }: { id: string; tag: string }) {
  const { db, accountId, now } = context
  const { numUpdatedRows } = await unique(value, () =>
    db
      .updateTable('conversationTags')
      .set({ value, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  if (numUpdatedRows === 0n) throw missing('Tag')
  notifyAllChanged(context)
}

export async function remove(context: Context, { id }: { id: string }) {
  const { numDeletedRows } = await context.db
    .deleteFrom('conversationTags')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Tag')
  notifyAllChanged(context)
}

/** Any number of conversations may have it, so all views reload. */
const notifyAllChanged = ({ notifyChange }: Context) =>
  notifyChange({ kind: inboxChanges.conversation, id: null, parent: null, scope: null })

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('conversationTags').selectAll().where('accountId', '=', accountId)

async function unique<Result>(value: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isDuplicate(error, 'conversation_tags_value')) throw conflict(`There is a tag "${value}" already.`)
    throw error
  }
}

export interface TagName {
  id: string
  name: string
}

/** Tags of items, sorted by name. */
export async function tagsOf({ db, accountId }: Context, itemIds: readonly string[]) {
  const tags = new Map<string, TagName[]>()
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

/** Tags by case-insensitive name; unknown names match no item. */
export async function idsOfTags({ db, accountId }: Context, names: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('conversationTags')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`lower(value) in (select lower(name) from unnest(${names}::text[]) as wanted (name))`)
    .execute()
  return rows.map(({ id }) => id)
}

/** Sets the exact tags of one conversation; unknown tags are created. */
export async function replaceTags(context: Context, { id, tags: names }: { id: string; tags: readonly string[] }) {
  const item = await holdItem(context, id)
  const requested = sorted(await ensureTags(context, names))
  await changeTags(context, [item], () => requested)
  return { tags: requested }
}

/** Adds or removes tags of locked conversations; returns the changed ones. */
export async function addOrRemoveTags(
  context: Context,
  items: readonly ItemRow[],
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<ItemRow[]> {
  const added = await ensureTags(context, add)
  const removedIds = new Set((await findTags(context, remove)).map(({ id }) => id))
  const next = (current: readonly TagName[]) => {
    const remaining = current.filter(({ id }) => !removedIds.has(id))
    return [...remaining, ...added.filter(({ id }) => !remaining.some((tag) => tag.id === id))]
  }
  return changeTags(context, items, next)
}

/** Changes the tags of locked conversations, publishes events, and returns the changed ones. */
async function changeTags(
  context: Context,
  items: readonly ItemRow[],
  next: (current: readonly TagName[]) => readonly TagName[],
): Promise<ItemRow[]> {
  const before = await tagsOf(
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
  await publishItemsEvent(
    context,
    'inboxItemTagChange',
    changes.map(({ added, removed, current }, at) => ({
      item: changed[at] as ItemRow,
      more: {
        Tags: {
          Added: publishTagEvents(added),
          Removed: publishTagEvents(removed),
          Current: publishTagEvents(current),
        },
      },
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
  const removedIds = changes.flatMap(({ item, removed }) => removed.map(({ id }) => ({ itemId: item.id, tagId: id })))
  if (removedIds.length === 0) return
  await sql`
    delete from inbox_item_tags t using unnest(${removedIds.map(({ itemId }) => itemId)}::text[], ${removedIds.map(({ tagId }) => tagId)}::text[])
      as g (item_id, tag_id)
    where t.account_id = ${accountId} and t.item_id = g.item_id and t.tag_id = g.tag_id`.execute(db)
}

const without = (tags: readonly TagName[], others: readonly TagName[]) =>
  tags.filter(({ id }) => !others.some((tag) => tag.id === id))

const sorted = (tags: readonly TagName[]) =>
  tags.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1))

const publishTagEvents = (tags: readonly TagName[]) => tags.map(({ id: Id, name: Name }) => ({ Id, Name }))

/** Finds tags by case-insensitive name, creating missing ones. Locks them, so that a concurrent deletion waits. */
async function ensureTags(context: Context, names: readonly string[]): Promise<TagName[]> {
  const long = names.find((name) => name.length > longestTag)
  if (long) throw invalid(`A tag has at most ${longestTag} characters; "${long.slice(0, 40)}…" has ${long.length}.`)
  const known = await holdTags(context, names)
  const absent = names.filter((name) => !known.some(({ wanted: requested }) => requested === name))
  if (absent.length === 0) return each(known)
  await makeTags(context, absent)
  const found = await holdTags(context, names)
  const removedIds = names.find((name) => !found.some(({ wanted: requested }) => requested === name))
  if (removedIds !== undefined) throw conflict(`The tag "${removedIds}" was deleted just now. Try again.`)
  return each(found)
}

/** Existing ones among them, each once, locked. */
const findTags = async (context: Context, names: readonly string[]) => each(await holdTags(context, names))

interface Found extends TagName {
  /** As requested. */
  wanted: string
}

async function holdTags({ db, accountId }: Context, names: readonly string[]): Promise<Found[]> {
  if (names.length === 0) return []
  const { rows } = await sql<Found>`
    select w.name as wanted, c.id, c.value as name from unnest(${names}::text[]) as w (name)
    join conversation_tags c on c.account_id = ${accountId} and lower(c.value) = lower(w.name)
    where c.account_id = ${accountId} order by c.id ${lockRows('conversationTags', 'key share', 'c')}`.execute(db)
  return rows
}

/** In a fixed order, to avoid deadlocks between concurrent requests. */
async function makeTags(context: Context, names: readonly string[]) {
  const { db, accountId, userId, now } = context
  const existing = db.selectFrom('conversationTags').where('accountId', '=', accountId)
  await reserveQuota(context, inboxQuotas.conversationTags, existing, names.length)
  const rows = names
    .toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
    .map((value) => ({
      accountId,
      id: newId(inboxIds.conversationTag, now),
      created: now,
      modified: now,
      createdBy: userId,
      value,
    }))
  await db
    .insertInto('conversationTags')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute()
}

const each = (found: readonly Found[]): TagName[] => [
  ...new Map(found.map(({ id, name }) => [id, { id, name }])).values(),
]
