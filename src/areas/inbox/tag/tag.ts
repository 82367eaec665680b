import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { inboxChanges } from '../declarations.ts'

/** Tags are created with the first conversation that uses them. */

export async function get(context: Context, { id }: { id: string }) {
  const tag = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!tag) throw missing('Tag')
  return tag
}

export function search(context: Context, { q = '', page }: { q?: string | undefined; page: Page }) {
  const order = { ...page.order, column: page.order.column === 'name' ? 'value' : page.order.column }
  const matching = visible(context).$if(q !== '', (rows) => rows.where('value', 'ilike', contains(q)))
  return paginate(matching, { ...page, order })
}

/** Conversations keep it under its new name; no events, since none of them gained or lost it. */
export async function rename(context: Context, { id, tag: value }: { id: string; tag: string }) {
  const { db, accountId, now } = context
  const { numUpdatedRows } = await unique(value, () =>
    db
      .updateTable('conversationTags')
      .set({ value, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  if (numUpdatedRows === 0n) throw missing('Tag')
  notifyAllChanged(context)
}

export async function remove(context: Context, { id }: { id: string }) {
  const { numDeletedRows } = await context.db
    .deleteFrom('conversationTags')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Tag')
  notifyAllChanged(context)
}

/** Any number of conversations may have it, so all views reload. */
const notifyAllChanged = ({ notifyChange }: Context) =>
  notifyChange({ kind: inboxChanges.conversation, id: null, parent: null, scope: null })

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('conversationTags').selectAll().where('accountId', '=', accountId)

async function unique<Result>(value: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isDuplicate(error, 'conversation_tags_value')) throw conflict(`There is a tag "${value}" already.`)
    throw error
  }
}
