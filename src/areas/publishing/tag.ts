import { settingChanged } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { isDuplicate } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { publishingIds, publishingQuotas } from './declarations.ts'

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

/** Fields that users set; columns of the row. */
interface TagDraft {
  tag: string
}

export async function create(context: Context, draft: TagDraft) {
  const { accountId, userId, now } = context
  const row = { accountId, id: newId(publishingIds.tag, now), created: now, modified: now, createdBy: userId, ...draft }
  context.notifyChange(settingChanged)
  return unique(draft.tag, () =>
    insertWithin(context, publishingQuotas.tags, () => visible(context), { into: 'tags', row }),
  )
}

export async function update(
  { db, accountId, now, notifyChange }: Context,
  { id, ...changes }: TagDraft & { id: string },
) {
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
  notifyChange(settingChanged)
  return tag
}

export async function remove({ db, accountId, notifyChange }: Context, { id }: { id: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('tags')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Tag')
  notifyChange(settingChanged)
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

/** Replaces the tags of a campaign or a message. */
export async function setTags(context: Context, entityId: string, tagIds: readonly string[], most: number) {
  const { db, accountId } = context
  await db.deleteFrom('entityTags').where('accountId', '=', accountId).where('entityId', '=', entityId).execute()
  await addTags(context, entityId, tagIds, most)
}

/** For an entity without tags. */
export async function addTags(context: Context, entityId: string, tagIds: readonly string[], most: number) {
  const { db, accountId, now } = context
  if (tagIds.length > most) throw invalid(`tagIds must not hold more than ${most} tags.`)
  if (tagIds.length === 0) return
  await requireTags(context, tagIds)
  const rows = tagIds.map((tagId) => ({ accountId, entityId, tagId }))
  await db.insertInto('entityTags').values(rows).execute()
  await db
    .updateTable('tags')
    .set({ lastUsedDate: now })
    .where('accountId', '=', accountId)
    .where('id', 'in', tagIds)
    // A resolution of a minute is enough: otherwise a popular tag's row would become a point of contention.
    .where((row) =>
      row.or([row('lastUsedDate', 'is', null), row('lastUsedDate', '<', new Date(now.getTime() - 60_000))]),
    )
    .execute()
}

/** Tag names by entity, sorted. */
export async function tagsOf({ db, accountId }: Context, entityIds: readonly string[]): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>(entityIds.map((id) => [id, []]))
  if (entityIds.length === 0) return names
  const rows = await db
    .selectFrom('entityTags')
    .innerJoin('tags', (join) => join.on('tags.accountId', '=', accountId).onRef('tags.id', '=', 'entityTags.tagId'))
    .select(['entityTags.entityId', 'tags.tag'])
    .where('entityTags.accountId', '=', accountId)
    .where('entityTags.entityId', 'in', entityIds)
    .orderBy('tags.tag')
    .execute()
  for (const { entityId, tag } of rows) names.get(entityId)?.push(tag)
  return names
}

export async function tagIdsOf({ db, accountId }: Context, entityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('entityTags')
    .select('tagId')
    .where('accountId', '=', accountId)
    .where('entityId', '=', entityId)
    .execute()
  return rows.map(({ tagId }) => tagId)
}

async function requireTags({ db, accountId }: Context, tagIds: readonly string[]) {
  const found = await db
    .selectFrom('tags')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', 'in', tagIds)
    // Prevents deletion; a share lock would conflict with the update of its last use.
    .modifyEnd(lockRows('tags', 'key share'))
    .execute()
  const missingId = tagIds.find((id) => !found.some((tag) => tag.id === id))
  if (missingId) throw invalid(`tagIds names ${missingId}, but there is no such tag.`)
}
