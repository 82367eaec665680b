import { type Selectable, sql } from 'kysely'
import { scopeIds } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { WorkflowItems } from '#kernel/database/tables.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import type { Approvable, Part } from '../approvable.ts'
import { approvalChanges, approvalIds } from '../declarations.ts'
import { lockWorkflows, withApprovers } from '../workflow/workflow.ts'

export type Item = Selectable<WorkflowItems>

/** An item is visible to users who can see the campaign or board of its content. */
export const visible = (context: Context) =>
  context.db
    .selectFrom('workflowItems')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'workflow_items.scope_id'))

/** A literal that matches the condition of the partial indexes, so that cached plans can use them. */
export const pending = sql.lit('pending' as const)

/** Adds the API fields that are derived from the row. */
export const withBoard = (item: Item) => ({ ...item, boardId: isId(scopeIds.board, item.scopeId) ? item.scopeId : '' })

/** Finds an item by its own id, or the latest one by the id of its content. */
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
 * The latest item of each content that was not withdrawn, by content id. An approval given in a workflow that is now inactive is ignored.
 * The caller has locked the content, so the result stays valid.
 */
export async function currentItems(
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

export const currentItem = async (context: Context, entityId: string) =>
  (await currentItems(context, [entityId])).get(entityId)

/** Whether the last decision on the content was a rejection, regardless of items submitted and withdrawn since. */
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
 * Locks a pending item, its workflow and the default one, to which it may move. The caller has locked the content already: changes and
 * deletions of content lock in the same order.
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

/** Locks the pending items of steps or workflows in a fixed order. */
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

/** All writes to items come through here, including new ones that enter their first step. */
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

/** Removes the items of content that the caller deletes. */
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

/** Called when content was moved: its items follow the visibility of the new campaign or board. */
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

interface Search {
  stepId?: string | undefined
  workflowId?: string | undefined
  withHistory?: boolean | undefined
  withAuthors?: boolean | undefined
  withSteps?: boolean | undefined
  page: Page
}

export async function search(context: Context, { stepId = '', workflowId = '', page, ...wanted }: Search) {
  const matching = visible(context)
    .where('status', '=', pending)
    .$if(workflowId !== '', (rows) => rows.where('workflowId', '=', workflowId))
    .$if(stepId !== '', (rows) => rows.where('stepId', '=', stepId))
    // An item is visible with its content; filtering by a workflow the caller may not see returns nothing.
    .$if(workflowId !== '' || stepId !== '', (rows) => rows.where(withinTeams(context, 'workflow_items.workflow_id')))
  const { items, total } = await paginate(matching, page)
  const itemIds = items.map(({ id }) => id)
  const decisions = wanted.withHistory ? await decisionsOn(context, itemIds) : []
  const authorIds = [...items.map(({ createdBy }) => createdBy), ...decisions.map(({ userId }) => userId)]
  const stepIds = [...items, ...decisions].map((one) => one.stepId)
  return {
    items: items.map((item) => ({
      ...withBoard(item),
      ...(wanted.withHistory && { history: decisions.filter(({ itemId }) => itemId === item.id) }),
    })),
    total,
    ...(wanted.withAuthors && { authors: await authorsOf(context, authorIds) }),
    ...(wanted.withSteps && { steps: await stepsOf(context, stepIds) }),
  }
}

/** The users who submitted, decided or wrote a note, including deleted ones. */
export async function authorsOf({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  return db
    .selectFrom('users')
    .select(['id', 'created', 'name', 'email', 'lastLogin', 'status'])
    .where('accountId', '=', accountId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
}

/** The decisions on items, oldest first. */
export const decisionsOn = ({ db, accountId }: Context, itemIds: readonly string[]) =>
  itemIds.length === 0
    ? []
    : db
        .selectFrom('workflowDecisions')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('itemId', 'in', itemIds)
        .orderBy('created')
        .orderBy('userId')
        .execute()

async function stepsOf(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await context.db
    .selectFrom('workflowSteps')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', [...new Set(ids)])
    .where(withinTeams(context, 'workflow_steps.workflow_id'))
    .execute()
  return withApprovers(context, rows)
}

/** The content as it was in one round of an item. */
export interface StoredContent {
  itemId: string
  round: number
  created: Date
  createdBy: string
  parts: Part[]
}

/** Stores the content at the beginning of a round: all decisions of that round refer to this version. */
export async function storeContent(context: Context, approvable: Approvable, { id: itemId, entityId, round }: Item) {
  const { db, accountId, userId, now } = context
  const parts = JSON.stringify(await approvable.wording(context, entityId))
  await db
    .insertInto('workflowItemVersions')
    .values({ accountId, itemId, round, created: now, createdBy: userId, parts })
    .execute()
}

/** Latest first. */
export async function storedContents({ db, accountId }: Context, itemIds: readonly string[], most: number) {
  const rows = await db
    .selectFrom('workflowItemVersions')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('itemId', 'in', itemIds)
    .orderBy('created', 'desc')
    .orderBy('itemId', 'desc')
    .orderBy('round', 'desc')
    .limit(most)
    .execute()
  return rows.map((row): StoredContent => ({ ...row, parts: row.parts as Part[] }))
}
