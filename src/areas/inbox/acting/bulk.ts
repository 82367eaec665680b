import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { holdItems } from '../item/item-row.ts'
import { addOrRemoveTags } from '../tag/tagging.ts'
import { assignItems, holdAssignee } from './assignment.ts'
import { setStatuses } from './status.ts'

export const bulkActions = ['open', 'close', 'assign', 'unassign', 'tag', 'untag'] as const

interface Wish {
  ids: readonly string[]
  action: (typeof bulkActions)[number]
  assigneeId?: string | undefined
  tags?: readonly string[] | undefined
}

/** Does the same with several conversations, as one action: webhooks hear of it once, with an element for each that is another now. */
export async function actOnMany(context: Context, { ids, action, assigneeId, tags = [] }: Wish) {
  if (ids.length === 0) throw invalid('ids must name at least one conversation.')
  if (action === 'assign' && !assigneeId) throw invalid('assigneeId must say to whom the conversations are given.')
  if ((action === 'tag' || action === 'untag') && tags.length === 0) throw invalid('tags must name at least one tag.')
  const assignee = action === 'assign' ? await holdAssignee(context, assigneeId ?? '', 'assigneeId') : undefined
  const items = await holdItems(context, ids)
  const done = {
    open: () => setStatuses(context, items, 'open'),
    close: () => setStatuses(context, items, 'closed'),
    assign: () => assignItems(context, items, assignee),
    unassign: () => assignItems(context, items, undefined),
    tag: () => addOrRemoveTags(context, items, { add: tags }),
    untag: () => addOrRemoveTags(context, items, { remove: tags }),
  }
  const changed = (await done[action]()).map(({ id }) => id)
  context.about({ id: context.accountId, count: changed.length })
  return { changed, missing: ids.filter((id) => !items.some((item) => item.id === id)) }
}
