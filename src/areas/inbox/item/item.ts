import { type Selectable, sql } from 'kysely'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { InboxItems } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { inboxChanges, inboxIds } from '../declarations.ts'

/** An item; its search terms are only used in queries. */
export type ItemRow = Omit<Selectable<InboxItems>, 'words'>

export const itemColumns = [
  ...(['accountId', 'id', 'created', 'modified', 'credentialId', 'network', 'itemType', 'origin', 'status'] as const),
  ...(['assigneeId', 'remoteKey', 'url', 'eventDate', 'lastActivity'] as const),
  ...(['personId', 'personName', 'personUsername', 'personPicture'] as const),
  ...([
    'postRemoteId',
    'postUrl',
    'postText',
    'postMedia',
    'postlogId',
    'text',
    'media',
    'language',
    'entries',
  ] as const),
] as const satisfies readonly (keyof ItemRow)[]

/** All readers see the whole inbox: profiles belong to no team. */
export const visibleItems = ({ db, accountId }: Context) =>
  db.selectFrom('inboxItems').select(itemColumns).where('accountId', '=', accountId)

export async function requireItem(context: Context, id: string): Promise<ItemRow> {
  const item = await visibleItems(context).where('id', '=', id).executeTakeFirst()
  if (!item) throw missing('Conversation')
  return item
}

/** Locks items until commit, ordered by id; missing ones are omitted. */
export const holdItems = (context: Context, ids: readonly string[]): Promise<ItemRow[]> =>
  visibleItems(context).where('id', 'in', ids).orderBy('id').modifyEnd(lockRows('inboxItems', 'update')).execute()

export async function holdItem(context: Context, id: string): Promise<ItemRow> {
  const [item] = await holdItems(context, [id])
  if (!item) throw missing('Conversation')
  return item
}

export const notifyItemChanged = ({ notifyChange }: Context, id: string) =>
  notifyChange({ kind: inboxChanges.conversation, id, parent: null, scope: null })

export const watchedConversations: PresenceKind = {
  kind: inboxChanges.conversation,
  reference: inboxIds.inboxItem,
  async find(context, id) {
    const item = await visibleItems(context).where('id', '=', id).executeTakeFirst()
    return item && { parent: null, scope: null }
  },
}

type Counted = Pick<ItemRow, 'id' | 'credentialId' | 'network' | 'itemType' | 'status' | 'assigneeId'>

/** Call after creating or changing items: updates the counters of lists from `before` to `after`, and sends change notifications. */
export async function itemsChanged(context: Context, before: readonly Counted[], after: readonly Counted[]) {
  for (const { id } of [...before, ...after]) notifyItemChanged(context, id)
  const changes = changesOf(before, after)
  if (changes.length === 0) return
  const { db, accountId } = context
  const column = <Value>(read: (change: Change) => Value) => changes.map(read)
  const counting = sql`
    insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
    select ${accountId}, * from unnest(${column((one) => one.credentialId)}::text[], ${column((one) => one.network)}::text[],
      ${column((one) => one.itemType)}::text[], ${column((one) => one.status)}::text[],
      ${column((one) => one.assigneeId)}::text[], ${column((one) => one.items)}::int[])
    on conflict (account_id, credential_id, network, item_type, status, assignee_id)
    do update set items = inbox_item_counts.items + excluded.items
    returning 1`
  await later(db, counting)
}

interface Change extends Omit<Counted, 'id'> {
  items: number
}

/** Net changes of both sides, in a fixed order. */
function changesOf(before: readonly Counted[], after: readonly Counted[]): Change[] {
  const changes = new Map<string, Change>()
  const add = ({ credentialId, network, itemType, status, assigneeId }: Counted, items: number) => {
    const kind = { credentialId, network, itemType, status, assigneeId }
    const key = Object.values(kind).join(' ')
    changes.set(key, { ...kind, items: (changes.get(key)?.items ?? 0) + items })
  }
  for (const item of before) add(item, -1)
  for (const item of after) add(item, 1)
  return [...changes]
    .filter(([, { items }]) => items !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, change]) => change)
}

/** Updates locked items, their counters and the change feed; returns the new rows in order. */
export async function changeItems(
  context: Context,
  items: readonly ItemRow[],
  changes: Partial<Pick<ItemRow, 'status' | 'assigneeId'>> = {},
): Promise<ItemRow[]> {
  const { db, accountId, now } = context
  if (items.length === 0) return []
  const ids = items.map(({ id }) => id)
  const rows = await db
    .updateTable('inboxItems')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .returning(itemColumns)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const changed = ids.map((id) => byId.get(id) as ItemRow)
  await itemsChanged(context, items, changed)
  return changed
}
