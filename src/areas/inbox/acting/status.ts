import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { closedFact } from '../counting/inbox-facts.ts'
import { tellItems } from '../item/item.events.ts'
import { holdItem, type ItemRow } from '../item/item-row.ts'
import { addEachEntry } from '../timeline/entry.ts'
import { changeItems } from './item-change.ts'
import { tellOfStatus } from './letters.ts'

export type Status = ItemRow['status']

/** Opens or closes a conversation; one that is so already stays as it is, and nobody is told. */
export async function setStatus(context: Context, { id, status }: { id: string; status: Status }) {
  await setStatuses(context, [await holdItem(context, id)], status)
}

/** The same of several that are held, as one action; gives those that were another. */
export async function setStatuses(context: Context, items: readonly ItemRow[], status: Status): Promise<ItemRow[]> {
  const before = items.filter((item) => item.status !== status)
  const changed = await changeItems(context, before, { status })
  await addEachEntry(
    context,
    before.map((item) => ({ item, type: 'status', details: { from: item.status, to: status } })),
  )
  await tellItems(
    context,
    'inboxItemStatusChange',
    changed.map((item, at) => ({ item, more: { Status: { From: before[at]?.status, To: status } } })),
  )
  await tellOfStatus(context, changed, status)
  if (status === 'closed')
    await addFacts(
      context,
      changed.map((item) => closedFact(context, item)),
    )
  return changed
}
