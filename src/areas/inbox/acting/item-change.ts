import type { Context } from '#kernel/context.ts'
import { itemsChanged } from '../item/item-count.ts'
import { type ItemRow, itemColumns } from '../item/item-row.ts'

/** Writes the same into items that are held, counts them anew, tells browsers, and gives them as they are now, in their order. */
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
