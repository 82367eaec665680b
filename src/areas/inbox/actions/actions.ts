import { accountIds } from '#areas/account/declarations.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { closedFact } from '../counters/inbox-increments.ts'
import { tellItems } from '../item/item.events.ts'
import { changeItems } from '../item/item-change.ts'
import { holdItem, holdItems, type ItemRow, requireItem } from '../item/item-row.ts'
import { writeWords } from '../item/words.ts'
import { addOrRemoveTags } from '../tag/tagging.ts'
import { addEachEntry, addOwnEntries } from '../timeline/timeline.ts'
import { tellOfAssignment, tellOfNote, tellOfStatus } from './notifications.ts'

interface Wish {
  id: string
  assigneeId: string
  note?: string | undefined
}

/** Gives a conversation to somebody, with a note where there is one. */
export async function assign(context: Context, { id, assigneeId, note = '' }: Wish) {
  await requireItem(context, id)
  const assignee = await holdAssignee(context, assigneeId, 'assignee_id')
  const item = await holdItem(context, id)
  const [changed = item] = await assignItems(context, [item], assignee, note)
  if (note !== '') await addNote(context, changed, note, [assigneeId])
  return { assignment: { itemId: id, assigneeId } }
}

/** Gives conversations that are held to somebody, or to nobody; gives those that were another's. */
export async function assignItems(
  context: Context,
  items: readonly ItemRow[],
  assignee: Assignee | undefined,
  note = '',
): Promise<ItemRow[]> {
  const assigneeId = assignee?.id ?? ''
  const before = items.filter((item) => item.assigneeId !== assigneeId)
  const changed = await changeItems(context, before, { assigneeId })
  await addEachEntry(
    context,
    before.map((item) => ({ item, type: 'assignment', details: { from: item.assigneeId, to: assigneeId } })),
  )
  if (assignee) {
    const Assignee = { Id: assignee.id, Email: assignee.email }
    await tellItems(
      context,
      'newInboxItemAssignment',
      changed.map((item) => ({ item, more: { Assignee } })),
    )
    await tellOfAssignment(context, changed, assigneeId, note)
  }
  return changed
}

export interface Assignee {
  id: string
  email: string
}

/** A user who may read, held: who would delete them waits. */
async function holdAssignee({ db, accountId }: Context, id: string, name: string): Promise<Assignee> {
  const user = isId(accountIds.user, id)
    ? await db
        .selectFrom('users')
        .select(['id', 'email'])
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .where('status', '=', 'active')
        .where('role', 'is not', null)
        .modifyEnd(heldRows('users', 'share'))
        .executeTakeFirst()
    : undefined
  if (!user) throw invalid(`${name} names ${id.slice(0, 40)}, but there is no such user.`)
  return user
}

/** Leaves a note on a conversation, for the account's own people. */
export async function note(context: Context, { id, note: text }: { id: string; note: string }) {
  return { note: await addNote(context, await holdItem(context, id), text) }
}

/** The same on one that is held; who was told of something else by the same action gets no second letter. */
async function addNote(context: Context, item: ItemRow, text: string, told: readonly string[] = []) {
  const [changed] = (await changeItems(context, [item])) as [ItemRow]
  const [id = ''] = await addOwnEntries(context, [item], { type: 'note', content: text })
  await writeWords(context, new Map([[item.id, [text]]]))
  const { userId: createdBy, now: created } = context
  const Note = { Id: id, Text: text, CreatedBy: createdBy }
  await tellItems(context, 'newNoteOnInboxItem', [{ item: changed, more: { Note } }])
  await tellOfNote(context, changed, text, told)
  return { id, type: 'note', created, content: text, createdBy }
}

export type Status = ItemRow['status']

/** Opens or closes a conversation; one that is so already stays as it is, and nobody is told. */
export async function setStatus(context: Context, { id, status }: { id: string; status: Status }) {
  await setStatuses(context, [await holdItem(context, id)], status)
}

/** The same of several that are held, as one action; gives those that were another. */
async function setStatuses(context: Context, items: readonly ItemRow[], status: Status): Promise<ItemRow[]> {
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

export const bulkActions = ['open', 'close', 'assign', 'unassign', 'tag', 'untag'] as const

interface BulkAction {
  ids: readonly string[]
  action: (typeof bulkActions)[number]
  assigneeId?: string | undefined
  tags?: readonly string[] | undefined
}

/** Does the same with several conversations, as one action: webhooks hear of it once, with an element for each that is another now. */
export async function actOnMany(context: Context, { ids, action, assigneeId, tags = [] }: BulkAction) {
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
