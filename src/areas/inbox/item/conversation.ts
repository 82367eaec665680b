import { type SqlBool, sql } from 'kysely'
import { ruledColumns, rulesOf } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { inboxIds } from '../declarations.ts'
import { isMentioned, obstacleOf } from '../reply/reply-check.ts'
import { idsOfTags, tagsOf } from '../tag/tag.ts'
import { filtersOf } from '../view/view.ts'
import { type ItemRow, requireItem, visibleItems } from './item.ts'
import { type ItemCursor, type ItemFilters, searchItems } from './item-search.ts'
import type { ConsoleSearch } from './item-shape.ts'
import { unreadItems } from './read-state.ts'

interface Search extends Omit<ItemFilters, 'tagIds' | 'isUnread'> {
  tags?: readonly string[] | undefined
  count?: number | undefined
}

const usualCount = 25

/** Items by latest activity. */
export async function search(context: Context, { tags, count, ...filters }: Search) {
  const tagIds = tags?.length ? await idsOfTags(context, tags) : undefined
  const { items, total } = await searchItems(context, { ...filters, tagIds }, { limit: count ?? usualCount })
  return { items: items.map(shown), total }
}

export async function get(context: Context, { id }: { id: string }) {
  const item = await requireItem(context, id)
  return { ...shown(item), tags: (await tagsOf(context, [item.id])).get(item.id) ?? [] }
}

/** Item as listed: represented by the person who started it. */
const shown = <Item extends Pick<ItemRow, 'assigneeId' | 'personName' | 'personUsername'>>(item: Item) => ({
  ...item,
  assigneeId: item.assigneeId || null,
  profileName: item.personName || item.personUsername,
})

const usualPageCount = 50
const ofPersonAtOnce = 25

/** A page of a view with filters; the cursor is stable while new items are received. */
export async function page(context: Context, { view, tags, after, count = usualPageCount, ...given }: ConsoleSearch) {
  const saved = view ? await filtersOf(context, view) : {}
  const tagIds = tags?.length ? await idsOfTags(context, tags) : undefined
  const filters = { ...saved, ...present({ ...given, tagIds }) }
  // One more row shows whether there is another page.
  const part = { limit: count + 1, after: after ? parseCursor(after) : undefined }
  const { items, total } = await searchItems(context, filters, part)
  const onPage = items.slice(0, count)
  const last = items.length > count ? onPage.at(-1) : undefined
  return { items: await withDetails(context, onPage), total, next: last ? textOf(last) : null }
}

export async function getFully(context: Context, { id }: { id: string }) {
  const row = await requireItem(context, id)
  const [item] = await withDetails(context, [row])
  return { ...(item as NonNullable<typeof item>), cannotReply: (await obstacleTo(context, row)) ?? '' }
}

/** Why its profile can't reply, if known in advance. */
async function obstacleTo(context: Context, item: ItemRow): Promise<string | undefined> {
  const profile = await context.db
    .selectFrom('credentials')
    .select([...ruledColumns, 'networkUsername'])
    .where('accountId', '=', context.accountId)
    .where('id', '=', item.credentialId)
    .where('deleted', 'is', null)
    .executeTakeFirst()
  if (!profile) return undefined
  const about = { withMedia: false, isMentioned: isMentioned(item, profile.networkUsername) }
  return obstacleOf(item, rulesOf(context, profile), about)
}

/** Other items of the person who started an item, in chronological order. */
export async function ofPerson(context: Context, { id, _after }: { id: string; _after?: string | undefined }) {
  const { network, personId } = await requireItem(context, id)
  const items = await visibleItems(context)
    .where('network', '=', network)
    .where('personId', '=', personId)
    .where('id', '<>', id)
    .$if(Boolean(_after), (some) => some.where('id', '<', _after ?? ''))
    .orderBy('id', 'desc')
    .limit(ofPersonAtOnce + 1)
    .execute()
  const onPage = items.slice(0, ofPersonAtOnce)
  const next = items.length > ofPersonAtOnce ? (onPage.at(-1)?.id ?? null) : null
  return { items: await withDetails(context, onPage), next }
}

async function withDetails(context: Context, items: readonly ItemRow[]) {
  const ids = items.map(({ id }) => id)
  const [tags, unread] = await Promise.all([tagsOf(context, ids), unreadAmong(context, ids)])
  return items.map((item) => ({
    ...shown(item),
    tags: tags.get(item.id) ?? [],
    isUnread: unread.has(item.id),
    media: item.media as string[],
    postMedia: item.postMedia as string[],
  }))
}

async function unreadAmong(context: Context, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db, accountId } = context
  const rows = await db
    .selectFrom('inboxItems')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${ids})`)
    .where('status', '=', 'open')
    .where(unreadItems(context, 'inboxItems'))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

const present = (filters: ItemFilters): ItemFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))

const textOf = ({ lastActivity, id }: ItemCursor) => `${lastActivity.getTime()}.${id}`

function parseCursor(text: string): ItemCursor {
  const [time = '', id = '', ...more] = text.split('.')
  const isValid = /^\d{1,15}$/.test(time) && isId(inboxIds.inboxItem, id) && more.length === 0
  if (!isValid) throw invalid('_after must be the Next of another page.')
  return { lastActivity: new Date(Number(time)), id }
}
