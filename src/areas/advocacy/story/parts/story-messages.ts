import { type SqlBool, sql } from 'kysely'
import { type MessageRow, mediaOfAll, visible as visibleMessages } from '#areas/publishing/message/message.ts'
import { markAsBoardMessages } from '#areas/publishing/message/message-create.ts'
import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'

const most = 100

/** The messages that a parameter names, held; refuses one that is not there, or that its own approvers have not let go. */
export async function requireMessages(context: Context, name: string, messageIds: readonly string[]) {
  if (messageIds.length > most) throw invalid(`${name} must not hold more than ${most} ids.`)
  if (messageIds.length === 0) return
  const found = await visibleMessages(context)
    .where(sql<SqlBool>`id = any (${messageIds})`)
    .orderBy('id')
    .modifyEnd(heldRows('messages', 'no key update'))
    .execute()
  const absent = messageIds.find((id) => !found.some((message) => message.id === id))
  if (absent !== undefined) throw invalid(`${name} names no message: "${absent.slice(0, 40)}".`)
  const waiting = found.find(({ approveStatus }) => approveStatus !== 'Approved')
  if (waiting)
    throw conflict(
      `The message ${waiting.id} ${waiting.approveStatus === 'Pending' ? 'waits for approval' : 'was rejected'}; until it is approved no advocate can share it.`,
    )
}

/** Gives a story exactly these messages; of those that stay it is kept how many advocates were given them. */
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

/** Adds messages to a story, behind those it has. */
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

/** The ids of what a story offers, in their order. */
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

/** What each story offers, in its order; what was deleted is offered no more. */
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

/** How many bytes the messages of each story are: a hundred of the longest are more than a page of stories may be. */
export async function sizesOf({ db, accountId }: Context, storyIds: readonly string[]): Promise<Map<string, number>> {
  if (storyIds.length === 0) return new Map()
  const { rows } = await sql<{ storyId: string; bytes: number }>`
    select s.story_id, sum(octet_length(m.message))::integer as bytes from story_messages s
    join messages m on m.account_id = ${accountId} and m.id = s.message_id
    where s.account_id = ${accountId} and s.story_id = any (${storyIds}) group by s.story_id`.execute(db)
  return new Map(rows.map(({ storyId, bytes }) => [storyId, bytes]))
}

/** What the wire says of a story's message that messages do not have yet. */
const unset = { mentions: [], videoPreview: '', videoTitle: '', videoSubtitle: '' }

type Assets = NonNullable<ReturnType<Awaited<ReturnType<typeof mediaOfAll>>['get']>>
type Offered = MessageRow & typeof unset & { media: Assets }
