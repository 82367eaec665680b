import type { Context } from '#kernel/context.ts'
import type { Approvable, Part } from '../approvable.ts'
import type { Item } from './item.ts'

/** The content as it was in one round of an item. */
export interface Wording {
  itemId: string
  round: number
  created: Date
  createdBy: string
  parts: Part[]
}

/** Stores the content at the beginning of a round: all decisions of that round refer to this version. */
export async function keepWording(context: Context, approvable: Approvable, { id: itemId, entityId, round }: Item) {
  const { db, accountId, userId, now } = context
  const parts = JSON.stringify(await approvable.wording(context, entityId))
  await db
    .insertInto('workflowWordings')
    .values({ accountId, itemId, round, created: now, createdBy: userId, parts })
    .execute()
}

/** Latest first. */
export async function wordingsOf({ db, accountId }: Context, itemIds: readonly string[], most: number) {
  const rows = await db
    .selectFrom('workflowWordings')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('itemId', 'in', itemIds)
    .orderBy('created', 'desc')
    .orderBy('itemId', 'desc')
    .orderBy('round', 'desc')
    .limit(most)
    .execute()
  return rows.map((row): Wording => ({ ...row, parts: row.parts as Part[] }))
}
