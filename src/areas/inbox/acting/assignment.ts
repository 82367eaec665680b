import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { tellItems } from '../item/item.events.ts'
import { holdItem, type ItemRow, requireItem } from '../item/item-row.ts'
import { addEachEntry } from '../timeline/entry.ts'
import { changeItems } from './item-change.ts'
import { tellOfAssignment } from './letters.ts'
import { addNote } from './note.ts'

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
export async function holdAssignee({ db, accountId }: Context, id: string, name: string): Promise<Assignee> {
  const user = isId('user', id)
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
