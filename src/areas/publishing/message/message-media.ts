import { type Selectable, sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { shown as shownAsset } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Media } from '#kernel/database/tables.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { publishingIds } from '../declarations.ts'

/** In order. */
export const mediaOf = async (context: Context, messageId: string) =>
  (await mediaOfAll(context, [messageId])).get(messageId) ?? []

/** By message id. */
export async function mediaOfAll(context: Context, messageIds: readonly string[]) {
  if (messageIds.length === 0) return new Map<string, ReturnType<typeof shownAsset>[]>()
  const rows = await context.db
    .selectFrom('messageMedia')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', context.accountId).onRef('media.id', '=', 'messageMedia.mediaId'),
    )
    .selectAll('media')
    .select('messageMedia.messageId')
    .where('messageMedia.accountId', '=', context.accountId)
    .where('messageMedia.messageId', 'in', messageIds)
    .orderBy('messageMedia.position')
    .execute()
  const media = new Map<string, ReturnType<typeof shownAsset>[]>(messageIds.map((id) => [id, []]))
  for (const { messageId, ...asset } of rows) media.get(messageId)?.push(shownAsset(context, asset))
  return media
}

/** Replaces the media of a message. */
export async function setMedia(context: Context, messageId: string, mediaIds: readonly string[]) {
  const { db, accountId } = context
  await db.deleteFrom('messageMedia').where('accountId', '=', accountId).where('messageId', '=', messageId).execute()
  await addMedia(context, messageId, mediaIds)
}

/** For a message without media. */
export async function addMedia({ db, accountId }: Context, messageId: string, mediaIds: readonly string[]) {
  if (mediaIds.length === 0) return
  const rows = mediaIds.map((mediaId, position) => ({ accountId, messageId, mediaId, position }))
  await db.insertInto('messageMedia').values(rows).execute()
}

/** Loads media in the given order and locks them against deletion; refuses missing ones. */
export async function requireMedia(context: Context, mediaIds: readonly string[], name = 'media') {
  if (mediaIds.length === 0) return []
  return inOrder(mediaIds, await mediaById(context, mediaIds).modifyEnd(lockRows('media', 'key share')).execute(), name)
}

/** The same without a lock. */
export async function findMedia(context: Context, mediaIds: readonly string[]) {
  return mediaIds.length === 0 ? [] : inOrder(mediaIds, await mediaById(context, mediaIds).execute(), 'media')
}

const mediaById = ({ db, accountId }: Context, mediaIds: readonly string[]) =>
  db.selectFrom('media').selectAll().where('accountId', '=', accountId).where('id', 'in', mediaIds).orderBy('id')

function inOrder(mediaIds: readonly string[], found: readonly Selectable<Media>[], name: string): Selectable<Media>[] {
  return mediaIds.map((id) => {
    const asset = found.find((one) => one.id === id)
    if (!asset) throw invalid(`${name} names ${id}, but there is no such asset.`)
    return asset
  })
}

interface Use {
  id: string
  status: 'pending' | 'inqueue' | 'draft' | 'inqueue-draft' | 'complete' | 'incomplete' | 'error'
  startDateTime: Date
  campaignId: string
  network: string
  text: string
  isSeen: boolean
}

const maxPosts = 50
const maxTextLength = 90

/** The uses of an asset that prevent its deletion: unsent posts, the next one first, and a description of other uses. */
export async function usesOf(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const asset = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!asset) throw missing('Media')
  const holds = await db
    .selectFrom('mediaReferences')
    .select(['holder', 'what'])
    .where('accountId', '=', accountId)
    .where('mediaId', '=', id)
    .execute()
  const isPost = ({ holder }: { holder: string }) => isId(publishingIds.post, holder)
  const posts = await postsOf(
    context,
    holds.filter(isPost).map(({ holder }) => holder),
  )
  const visible = posts.filter(({ isSeen }) => isSeen)
  const messages = await messagesWith(context, id)
  return {
    posts: visible.slice(0, maxPosts),
    totalPosts: visible.length,
    // Posts of campaigns that the caller may not see.
    hiddenPosts: posts.length - visible.length,
    messages,
    others: countByDescription(holds.filter((hold) => !isPost(hold)).map(({ what }) => what)),
    mayBeDeleted: holds.length === 0,
  }
}

async function postsOf(context: Context, ids: readonly string[]): Promise<Use[]> {
  if (ids.length === 0) return []
  const { db, accountId } = context
  const { rows } = await sql<Use>`
    select p.id, p.status, p.start_date_time, p.campaign_id, p.network, left(m.message, ${maxTextLength}::integer) as text,
      ${withinTeams(context, 'p.campaign_id')} as is_seen
    from posts p join messages m on m.account_id = ${accountId} and m.id = p.message_id
    where p.account_id = ${accountId} and p.id = any (${ids}) order by p.start_date_time, p.id`.execute(db)
  return rows
}

/** The number of messages with the asset that the caller may see. */
async function messagesWith(context: Context, mediaId: string): Promise<number> {
  const { db, accountId } = context
  const { rows } = await sql<{ count: number }>`
    select count(distinct m.id) from message_media a join messages m on m.account_id = ${accountId} and m.id = a.message_id
    where a.account_id = ${accountId} and a.media_id = ${mediaId} and m.deleted is null
      and ${withinTeams(context, 'm.campaign_id')}`.execute(db)
  return rows[0]?.count ?? 0
}

function countByDescription(descriptions: readonly string[]) {
  return [...new Set(descriptions)].map((what) => ({ what, count: descriptions.filter((one) => one === what).length }))
}
