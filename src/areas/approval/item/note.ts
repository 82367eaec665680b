import type { Context } from '#kernel/context.ts'
import { listed } from '#kernel/database/keyed-pages.ts'
import { missing } from '#kernel/errors.ts'
import { isId, newId } from '#kernel/ids.ts'
import { isPaged } from '#kernel/pages.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import { type Approvables, findSeen } from '../approvable.ts'
import { approvalIds, approvalQuotas } from '../declarations.ts'
import { authorsOf, currentItem, notifyItemsChanged, visible } from './item.ts'

export async function list(context: Context, approvables: Approvables, { id }: { id: string }) {
  const { db, accountId } = context
  const all = db
    .selectFrom('workflowNotes')
    .where('accountId', '=', accountId)
    .where('entityId', '=', await entityOf(context, approvables, id))
  const notes = await listed(db, all.selectAll().orderBy('created').orderBy('id'), {
    size: 250,
    each: (rows) => rows.map((row) => ({ ...row, additionalData: null })),
  })
  const writers = isPaged(notes) ? await all.select('userId').distinct().execute() : notes
  return {
    authors: await authorsOf(
      context,
      writers.map(({ userId }) => userId),
    ),
    notes,
  }
}

export async function add(context: Context, approvables: Approvables, { id, note }: { id: string; note: string }) {
  const entityId = await entityOf(context, approvables, id)
  await addNote(context, entityId, note)
  const item = await currentItem(context, entityId)
  if (item) notifyItemsChanged(context, [item])
}

export async function addNote(context: Context, entityId: string, text: string) {
  const { db, accountId, userId, now } = context
  await reserveQuota(context, approvalQuotas.notes, db.selectFrom('workflowNotes').where('accountId', '=', accountId))
  const made = { accountId, id: newId(approvalIds.workflowNote, now), created: now, modified: now }
  await db
    .insertInto('workflowNotes')
    .values({ ...made, userId, entityId, text })
    .execute()
}

/** The content of a note, given by its own id or by that of its item. */
async function entityOf(context: Context, approvables: Approvables, id: string): Promise<string> {
  const item = isId(approvalIds.workflowItem, id)
    ? await visible(context).where('id', '=', id).executeTakeFirst()
    : undefined
  const entityId = item?.entityId ?? id
  if (!(await findSeen(context, approvables, entityId))) throw missing('Entity')
  return entityId
}
