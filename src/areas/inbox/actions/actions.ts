import { accountIds } from '#areas/account/declarations.ts'
import { incrementCounters } from '#areas/counters/increments.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { closedIncrement } from '../inbox-counters.ts'
import { publishItemsEvent } from '../item/item.events.ts'
import { changeItems, holdItem, holdItems, type ItemRow, requireItem } from '../item/item.ts'
import { writeTerms } from '../item/search-terms.ts'
import { addEachEntry, addOwnEntries } from '../item/timeline.ts'
import { addOrRemoveTags } from '../tag/tag.ts'
import { notifyAssignment, notifyNote, notifyStatus } from './notifications.ts'

interface Assignment {
  id: string
  assigneeId: string
  note?: string | undefined
}

/** Assigns a conversation to a user, with an optional note. */
export async function assign(context: Context, { id, assigneeId, note = '' }: Assignment) {
  await requireItem(context, id)
  const assignee = await holdAssignee(context, assigneeId, 'assignee_id')
  const item = await holdItem(context, id)
  const [changed = item] = await assignItems(context, [item], assignee, note)
  if (note !== '') await addNote(context, changed, note, [assigneeId])
  return { assignment: { itemId: id, assigneeId } }
}

/** Assigns locked conversations, or unassigns them; returns the changed ones. */
async function assignItems(
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
    await publishItemsEvent(
      context,
      'newInboxItemAssignment',
      changed.map((item) => ({ item, more: { Assignee } })),
    )
    await notifyAssignment(context, changed, assigneeId, note)
  }
  return changed
}

interface Assignee {
  id: string
  email: string
}

/** Locks an assignable user, so that a concurrent deletion waits. */
async function holdAssignee({ db, accountId }: Context, id: string, name: string): Promise<Assignee> {
  const user = isId(accountIds.user, id)
    ? await db
        .selectFrom('users')
        .select(['id', 'email'])
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .where('status', '=', 'active')
        .where('role', 'is not', null)
        .modifyEnd(lockRows('users', 'share'))
        .executeTakeFirst()
    : undefined
  if (!user) throw invalid(`${name} names ${id.slice(0, 40)}, but there is no such user.`)
  return user
}

/** Adds an internal note to a conversation. */
export async function note(context: Context, { id, note: text }: { id: string; note: string }) {
  return { note: await addNote(context, await holdItem(context, id), text) }
}

/** The same for a locked one; users already notified by the same action get no second email. */
async function addNote(context: Context, item: ItemRow, text: string, notified: readonly string[] = []) {
  const [changed] = (await changeItems(context, [item])) as [ItemRow]
  const [id = ''] = await addOwnEntries(context, [item], { type: 'note', content: text })
  await writeTerms(context, new Map([[item.id, [text]]]))
  const { userId: createdBy, now: created } = context
  const Note = { Id: id, Text: text, CreatedBy: createdBy }
  await publishItemsEvent(context, 'newNoteOnInboxItem', [{ item: changed, more: { Note } }])
  await notifyNote(context, changed, text, notified)
  return { id, type: 'note', created, content: text, createdBy }
}

type Status = ItemRow['status']

/** Opens or closes a conversation; does nothing if it already has the status. */
export async function setStatus(context: Context, { id, status }: { id: string; status: Status }) {
  await setStatuses(context, [await holdItem(context, id)], status)
}

/** The same for several locked conversations as one action; returns the changed ones. */
async function setStatuses(context: Context, items: readonly ItemRow[], status: Status): Promise<ItemRow[]> {
  const before = items.filter((item) => item.status !== status)
  const changed = await changeItems(context, before, { status })
  await addEachEntry(
    context,
    before.map((item) => ({ item, type: 'status', details: { from: item.status, to: status } })),
  )
  await publishItemsEvent(
    context,
    'inboxItemStatusChange',
    changed.map((item, at) => ({ item, more: { Status: { From: before[at]?.status, To: status } } })),
  )
  await notifyStatus(context, changed, status)
  if (status === 'closed')
    await incrementCounters(
      context,
      changed.map((item) => closedIncrement(context, item)),
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

/** Applies an action to several conversations: one webhook event with an element per changed conversation. */
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

const atOnce = 100
/** Milliseconds of one run before it requeues itself, so that a large account doesn't block others. */
const runTime = 30_000

interface Unassignment {
  accountId: string
  userId: string
}

const unassignment = { name: 'inbox.leave-items', queue: 'housekeeping' } as const

/** Unassigns the conversations of deleted users in a job, because there may be many. */
export async function enqueueUnassignment(context: Context, events: readonly Emitted<{ userId: string }>[]) {
  const { accountId } = context
  for (const { data } of events) await enqueue(context, unassignment, { accountId, userId: data.userId })
}

/** Unassigns open and closed conversations of a deleted user, so that they show up as unassigned. */
export const unassignJob = job<Unassignment>(unassignment.name, {
  ...unassignment,
  timeout: 10 * runTime,
  async run({ transaction, complete, signal }, { accountId, userId }) {
    const until = performance.now() + runTime
    let isDone = false
    while (!isDone && !signal.aborted && performance.now() < until)
      isDone = await transaction(accountId, (context) => unassignSome(context, userId))
    await complete(accountId, async (context) => {
      if (!isDone) await enqueue(context, unassignment, { accountId, userId })
    })
  },
})

/** Returns whether none is left. */
async function unassignSome(context: Context, userId: string): Promise<boolean> {
  const { db, accountId } = context
  const rows = await db
    .selectFrom('inboxItems')
    .select('id')
    .where('accountId', '=', accountId)
    .where('assigneeId', '=', userId)
    .limit(atOnce)
    .execute()
  if (rows.length === 0) return true
  const ids = rows.map(({ id }) => id)
  const held = await holdItems(context, ids)
  await assignItems(
    context,
    held.filter(({ assigneeId }) => assigneeId === userId),
    undefined,
  )
  return rows.length < atOnce
}
