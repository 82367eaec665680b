import { type SqlBool, sql } from 'kysely'
import { type MessageRow, visible as visibleMessages } from '#areas/publishing/message/message.ts'
import { mediaOfAll } from '#areas/publishing/message/message-media.ts'
import { markAsBoardMessages } from '#areas/publishing/message/message-write.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'

const most = 100

/** Locks the messages given by a parameter; rejects missing and unapproved ones. */
export async function requireMessages(context: Context, name: string, messageIds: readonly string[]) {
  if (messageIds.length > most) throw invalid(`${name} must not hold more than ${most} ids.`)
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
