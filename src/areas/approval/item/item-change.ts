import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'
import { type Item, visible } from './item.ts'

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
  hintItems(context, [item])
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
  hintItems(context, left)
}

/** Content was moved: its approval is seen by those who see the campaign or board it is in now, and by others no more. */
export async function moveItems(context: Context, entityId: string, scopeId: string) {
  const { db, accountId } = context
  const { rows } = await sql<{ id: string; scopeId: string }>`
    update workflow_items i set scope_id = ${scopeId}
    from (select id, scope_id from workflow_items where account_id = ${accountId} and entity_id = ${entityId}) before
    where i.account_id = ${accountId} and i.id = before.id returning i.id, before.scope_id`.execute(db)
  for (const { id, scopeId: before } of rows)
    hintItems(
      context,
      [before, scopeId].map((scope) => ({ id, entityId, scopeId: scope })),
    )
}

export function hintItems({ hint }: Context, items: readonly Pick<Item, 'id' | 'entityId' | 'scopeId'>[]) {
  for (const { id, entityId, scopeId } of items) hint({ kind: 'approval', id, parent: entityId, scope: scopeId })
}

export const watchedItems: Watched = {
  kind: 'approval',
  isId: (id) => isId('workflowItem', id),
  async find(context, id) {
    const item = await visible(context).where('id', '=', id).executeTakeFirst()
    return item && { parent: item.entityId, scope: item.scopeId }
  },
}
