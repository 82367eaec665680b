import { type SqlBool, sql } from 'kysely'
import { holdMedia, shown } from '#areas/media/asset/asset.ts'
import { type MessageRow, visible as visibleMessages } from '#areas/publishing/message/message.ts'
import { mediaOfAll, requireMedia } from '#areas/publishing/message/message-media.ts'
import { markAsBoardMessages } from '#areas/publishing/message/message-write.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'

const mostMessages = 100

/** Locks the messages given by a parameter; rejects missing and unapproved ones. */
export async function requireMessages(context: Context, name: string, messageIds: readonly string[]) {
  if (messageIds.length > mostMessages) throw invalid(`${name} must not hold more than ${mostMessages} ids.`)
  if (messageIds.length === 0) return
  const found = await visibleMessages(context)
    .where(sql<SqlBool>`id = any (${messageIds})`)
    .orderBy('id')
    .modifyEnd(lockRows('messages', 'no key update'))
    .execute()
  const absent = messageIds.find((id) => !found.some((message) => message.id === id))
  if (absent !== undefined) throw invalid(`${name} names no message: "${absent.slice(0, 40)}".`)
  const waiting = found.find(({ approveStatus }) => approveStatus !== 'Approved')
  if (waiting)
    throw conflict(
      `The message ${waiting.id} ${waiting.approveStatus === 'Pending' ? 'waits for approval' : 'was rejected'}; until it is approved no advocate can share it.`,
    )
}

/** Sets the messages of a story; remaining ones keep their assignment counts. */
export async function setMessages(context: Context, storyId: string, messageIds: readonly string[]) {
  const { db, accountId } = context
  await db
    .deleteFrom('storyMessages')
    .where('accountId', '=', accountId)
    .where('storyId', '=', storyId)
    .where(sql<SqlBool>`message_id <> all (${messageIds})`)
    .execute()
  await addMessages(context, storyId, messageIds)
}

/** Appends messages to a story. */
export async function addMessages(context: Context, storyId: string, messageIds: readonly string[], from = 0) {
  const { db, accountId } = context
  if (messageIds.length === 0) return
  const rows = messageIds.map((messageId, index) => ({ accountId, storyId, messageId, position: from + index }))
  await db
    .insertInto('storyMessages')
    .values(rows)
    .onConflict((on) =>
      on
        .columns(['accountId', 'storyId', 'messageId'])
        .doUpdateSet(({ ref }) => ({ position: ref('excluded.position') })),
    )
    .execute()
  await markAsBoardMessages(context, messageIds)
}

/** Message ids of a story, in order. */
export async function messageIdsOf({ db, accountId }: Context, storyId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('storyMessages')
    .select('messageId')
    .where('accountId', '=', accountId)
    .where('storyId', '=', storyId)
    .orderBy('position')
    .execute()
  return rows.map(({ messageId }) => messageId)
}

/** Messages of each story, in order; deleted ones are omitted. */
export async function messagesOf(context: Context, storyIds: readonly string[]) {
  const messages = new Map<string, Offered[]>(storyIds.map((id) => [id, []]))
  if (storyIds.length === 0) return messages
  const { db, accountId } = context
  const rows = await db
    .selectFrom('storyMessages')
    .innerJoin('messages', (join) =>
      join.on('messages.accountId', '=', accountId).onRef('messages.id', '=', 'storyMessages.messageId'),
    )
    .selectAll('messages')
    .select('storyMessages.storyId')
    .where('storyMessages.accountId', '=', accountId)
    .where('storyMessages.storyId', 'in', storyIds)
    .where('messages.deleted', 'is', null)
    .orderBy('storyMessages.position')
    .execute()
  const media = await mediaOfAll(context, [...new Set(rows.map(({ id }) => id))])
  for (const { storyId, ...message } of rows)
    messages.get(storyId)?.push({ ...message, ...unset, media: media.get(message.id) ?? [] })
  return messages
}

/** Size in bytes of the messages of each story: a hundred of the longest exceed the page size. */
export async function sizesOf({ db, accountId }: Context, storyIds: readonly string[]): Promise<Map<string, number>> {
  if (storyIds.length === 0) return new Map()
  const { rows } = await sql<{ storyId: string; bytes: number }>`
    select s.story_id, sum(octet_length(m.message))::integer as bytes from story_messages s
    join messages m on m.account_id = ${accountId} and m.id = s.message_id
    where s.account_id = ${accountId} and s.story_id = any (${storyIds}) group by s.story_id`.execute(db)
  return new Map(rows.map(({ storyId, bytes }) => [storyId, bytes]))
}

/** Fields of the contract that messages don't have yet. */
const unset = { mentions: [], videoPreview: '', videoTitle: '', videoSubtitle: '' }

type Assets = NonNullable<ReturnType<Awaited<ReturnType<typeof mediaOfAll>>['get']>>
type Offered = MessageRow & typeof unset & { media: Assets }

const mostMedia = 20

type Asset = ReturnType<typeof shown>

/** Validates and locks a story's assets, up to the maximum. */
export async function requireStoryMedia(context: Context, mediaIds: readonly string[]) {
  if (mediaIds.length > mostMedia) throw invalid(`mediaIds must not hold more than ${mostMedia} ids.`)
  await requireMedia(context, mediaIds, 'mediaIds')
}

/** Sets the assets of a story. */
export async function setMedia({ db, accountId }: Context, storyId: string, mediaIds: readonly string[]) {
  await db.deleteFrom('storyMedia').where('accountId', '=', accountId).where('storyId', '=', storyId).execute()
  if (mediaIds.length === 0) return
  const rows = mediaIds.map((mediaId, position) => ({ accountId, storyId, position, mediaId }))
  await db.insertInto('storyMedia').values(rows).execute()
}

/** Locks the media of a story and of its messages against deletion. */
export async function holdStoryMedia(context: Context, storyId: string) {
  const { db, accountId } = context
  const { rows } = await sql<{ mediaId: string }>`
    select m.id as media_id from media m where m.account_id = ${accountId} and m.id in (
      select s.media_id from story_media s where s.account_id = ${accountId} and s.story_id = ${storyId}
      union all
      select a.media_id from message_media a join story_messages s on s.account_id = ${accountId} and s.message_id = a.message_id
      where a.account_id = ${accountId} and s.story_id = ${storyId})`.execute(db)
  await holdMedia(
    context,
    storyId,
    rows.map(({ mediaId }) => mediaId),
    'a story',
  )
}

/** Assets of each story, in order. */
export async function mediaOf(context: Context, storyIds: readonly string[]): Promise<Map<string, Asset[]>> {
  const media = new Map<string, Asset[]>(storyIds.map((id) => [id, []]))
  if (storyIds.length === 0) return media
  const { db, accountId } = context
  const rows = await db
    .selectFrom('storyMedia')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'storyMedia.mediaId'),
    )
    .selectAll('media')
    .select('storyMedia.storyId')
    .where('storyMedia.accountId', '=', accountId)
    .where('storyMedia.storyId', 'in', storyIds)
    .orderBy('storyMedia.position')
    .execute()
  for (const { storyId, ...asset } of rows) media.get(storyId)?.push(shown(context, asset))
  return media
}
