import { type Selectable, sql } from 'kysely'
import { scopeIds } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { WorkflowItems } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { approvalChanges, approvalIds } from '../declarations.ts'
import { lockWorkflows } from '../workflow/workflow-step.ts'

export type Item = Selectable<WorkflowItems>

/** Items are seen by those who see the campaign or board of what they are about. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('workflowItems')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'workflow_items.scope_id'))

/** Spelled out as the indexes spell it, so that kept plans can use them. */
export const pending = sql.lit('pending' as const)

/** What the wire says of an item beyond its row. */
export const withBoard = (item: Item) => ({ ...item, boardId: isId(scopeIds.board, item.scopeId) ? item.scopeId : '' })

/** An item by its own id, or the latest of some content by that one's. */
export async function findItem(context: Context, id: string): Promise<Item> {
  const item = await visible(context)
    .where(isId(approvalIds.workflowItem, id) ? 'id' : 'entityId', '=', id)
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return requirePending(item)
}

/**
 * How content stands with its approvers: the latest item of each that was not taken out, by the content's id. An approval given in
 * a workflow that is out of use binds nobody any more. The caller holds the content, so that this stays so.
 */
export async function standingItems(
  { db, accountId }: Context,
  entityIds: readonly string[],
): Promise<Map<string, Item>> {
  if (entityIds.length === 0) return new Map()
  const { rows } = await sql<Item & { isInUse: boolean }>`
    select distinct on (i.entity_id) i.*, w.status = 'active' as is_in_use
    from workflow_items i join workflows w on w.account_id = ${accountId} and w.id = i.workflow_id
    where i.account_id = ${accountId} and i.entity_id = any (${entityIds}) and i.status <> 'removed'
    order by i.entity_id, i.created desc, i.id desc`.execute(db)
  const binding = rows.filter(({ status, isInUse }) => isInUse || status !== 'approved')
  return new Map(binding.map(({ isInUse: _isInUse, ...item }) => [item.entityId, item]))
}

export const standingItem = async (context: Context, entityId: string) =>
  (await standingItems(context, [entityId])).get(entityId)

/** Whether the last decision on content was a no, whatever was begun and taken back since. */
export async function wasRejected({ db, accountId }: Context, entityId: string): Promise<boolean> {
  const last = await db
    .selectFrom('workflowItems')
    .select('status')
    .where('accountId', '=', accountId)
    .where('entityId', '=', entityId)
    .where('status', 'in', ['approved', 'rejected'])
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.status === 'rejected'
}

/**
 * Locks an item that still waits, its workflow and the default one, to which it may move. The caller has locked the content already:
 * whoever changes or deletes that locks in the same order.
 */
export async function lockItem(context: Context, { id, workflowId }: Item): Promise<Item> {
  const { db, accountId } = context
  const workflows = await lockWorkflows(context, [workflowId])
  const item = await db
    .selectFrom('workflowItems')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .modifyEnd(lockRows('workflowItems', 'update'))
    .executeTakeFirst()
  const locked = requirePending(item)
  if (!workflows.some((workflow) => workflow.id === locked.workflowId))
    throw conflict('The item was moved to another workflow just now. Try again.')
  return locked
}

/** Locks what waits at some steps or in some workflows, always in the same order. */
export async function lockWaiting(
  { db, accountId }: Context,
  column: 'stepId' | 'workflowId',
  ids: readonly string[],
): Promise<Item[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('workflowItems')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(column, 'in', ids)
    .where('status', '=', pending)
    .orderBy('entityId')
    .modifyEnd(lockRows('workflowItems', 'update'))
    .execute()
}

function requirePending(item: Item | undefined): Item {
  if (!item || item.status === 'removed') throw missing('Workflow item')
  if (item.status !== 'pending')
    throw conflict(`It was ${item.status} already. Send it to a workflow again to have it decided anew.`)
  return item
}

/** Every item comes through here, new ones too: they enter their first step. */
export async function changeItem(
  context: Context,
  { id }: Item,
  changes: Partial<Omit<Item, 'accountId' | 'id' | 'created'>>,
): Promise<Item> {
  const { db, accountId, now } = context
  const item = await db
    .updateTable('workflowItems')
    .set({ ...changes, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  notifyItemsChanged(context, [item])
  return item
}

/** Content that the caller deletes waits for nobody. */
export async function leaveApproval(context: Context, entityIds: readonly string[]) {
  const { db, accountId, now } = context
  const left = await db
    .updateTable('workflowItems')
    .set({ status: 'removed', modified: now })
    .where('accountId', '=', accountId)
    .where('entityId', 'in', entityIds)
    .where('status', '=', 'pending')
    .returning(['id', 'entityId', 'scopeId'])
    .execute()
  notifyItemsChanged(context, left)
}

/** Content was moved: its approval is seen by those who see the campaign or board it is in now, and by others no more. */
export async function moveItems(context: Context, entityId: string, scopeId: string) {
  const { db, accountId } = context
  const { rows } = await sql<{ id: string; scopeId: string }>`
    update workflow_items i set scope_id = ${scopeId}
    from (select id, scope_id from workflow_items where account_id = ${accountId} and entity_id = ${entityId}) before
    where i.account_id = ${accountId} and i.id = before.id returning i.id, before.scope_id`.execute(db)
  for (const { id, scopeId: before } of rows)
    notifyItemsChanged(
      context,
      [before, scopeId].map((scope) => ({ id, entityId, scopeId: scope })),
    )
}

export function notifyItemsChanged(
  { notifyChange }: Context,
  items: readonly Pick<Item, 'id' | 'entityId' | 'scopeId'>[],
) {
  for (const { id, entityId, scopeId } of items)
    notifyChange({ kind: approvalChanges.approval, id, parent: entityId, scope: scopeId })
}

export const watchedItems: PresenceKind = {
  kind: approvalChanges.approval,
  reference: approvalIds.workflowItem,
  async find(context, id) {
    const item = await visible(context).where('id', '=', id).executeTakeFirst()
    return item && { parent: item.entityId, scope: item.scopeId }
  },
}
