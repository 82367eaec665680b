import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { hintItem, type ItemRow, itemColumns } from './item-row.ts'

type Counted = Pick<ItemRow, 'id' | 'credentialId' | 'network' | 'itemType' | 'status' | 'assigneeId'>

/** Call after creating or changing items: updates the counters of lists from `before` to `after`, and sends change notifications. */
export async function itemsChanged(context: Context, before: readonly Counted[], after: readonly Counted[]) {
  for (const { id } of [...before, ...after]) hintItem(context, id)
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
