import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { invalid } from '#kernel/errors.ts'

/** Gives a campaign or a message exactly these tags. */
export async function setTags(context: Context, entityId: string, tagIds: readonly string[], most: number) {
  const { db, accountId } = context
  await db.deleteFrom('tagged').where('accountId', '=', accountId).where('entityId', '=', entityId).execute()
  await addTags(context, entityId, tagIds, most)
}

/** Gives one that has none these tags. */
export async function addTags(context: Context, entityId: string, tagIds: readonly string[], most: number) {
  const { db, accountId, now } = context
  if (tagIds.length > most) throw invalid(`tagIds must not hold more than ${most} tags.`)
  if (tagIds.length === 0) return
  await requireTags(context, tagIds)
  const rows = tagIds.map((tagId) => ({ accountId, entityId, tagId }))
  await db.insertInto('tagged').values(rows).execute()
  await db
    .updateTable('tags')
    .set({ lastUsedDate: now })
    .where('accountId', '=', accountId)
    .where('id', 'in', tagIds)
    // To the minute is enough: a tag that everything gets must not be what everything waits for.
    .where((row) =>
      row.or([row('lastUsedDate', 'is', null), row('lastUsedDate', '<', new Date(now.getTime() - 60_000))]),
    )
    .execute()
}

/** The names of the tags of each, A to Z. */
export async function tagsOf({ db, accountId }: Context, entityIds: readonly string[]): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>(entityIds.map((id) => [id, []]))
  if (entityIds.length === 0) return names
  const rows = await db
    .selectFrom('tagged')
    .innerJoin('tags', (join) => join.on('tags.accountId', '=', accountId).onRef('tags.id', '=', 'tagged.tagId'))
    .select(['tagged.entityId', 'tags.tag'])
    .where('tagged.accountId', '=', accountId)
    .where('tagged.entityId', 'in', entityIds)
    .orderBy('tags.tag')
    .execute()
  for (const { entityId, tag } of rows) names.get(entityId)?.push(tag)
  return names
}

/** Their ids, for what is made from it. */
export async function tagIdsOf({ db, accountId }: Context, entityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('tagged')
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
    // Not deleted meanwhile; a share lock would be at odds with the note of its last use.
    .modifyEnd(heldRows('tags', 'key share'))
    .execute()
  const absent = tagIds.find((id) => !found.some((tag) => tag.id === id))
  if (absent) throw invalid(`tagIds names ${absent}, but there is no such tag.`)
}
