import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { settingChanged } from '#kernel/hints/hint.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import type { TagChanges, TagDraft } from './tag-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const tag = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!tag) throw missing('Tag')
  return tag
}

export function search(context: Context, { q = '', page }: { q?: string | undefined; page: Page }) {
  const order = { ...page.order, column: page.order.column === 'lastUsed' ? 'lastUsedDate' : page.order.column }
  const matching = visible(context).$if(q !== '', (rows) => rows.where('tag', 'ilike', contains(q)))
  return paginate(matching, { ...page, order })
}

export async function create(context: Context, draft: TagDraft) {
  const { db, accountId, userId, now } = context
  const row = { accountId, id: newId('tag', now), created: now, modified: now, createdBy: userId, ...draft }
  context.hint(settingChanged)
  const insert = db.insertInto('tags').values(row).returningAll()
  return unique(draft.tag, () => insertWithin(context, 'tags', () => visible(context), insert))
}

export async function update({ db, accountId, now, hint }: Context, { id, ...changes }: TagChanges) {
  const tag = await unique(changes.tag, () =>
    db
      .updateTable('tags')
      .set({ ...changes, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
  )
  if (!tag) throw missing('Tag')
  hint(settingChanged)
  return tag
}

export async function remove({ db, accountId, hint }: Context, { id }: { id: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('tags')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Tag')
  hint(settingChanged)
}

async function unique<Result>(tag: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isDuplicate(error, 'tags_by_tag')) throw conflict(`There is a tag "${tag}" already.`)
    throw error
  }
}

const visible = ({ db, accountId }: Context) => db.selectFrom('tags').selectAll().where('accountId', '=', accountId)
