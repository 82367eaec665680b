import { type SqlBool, sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { holdStoryMedia } from '../parts/story-media.ts'
import { followContent } from './story-standing.ts'

interface ChangedMessage {
  messageId: string
  mayApprove: boolean
}

export const followMessageName = 'advocacy.follow-message'

/** A message says something else: so do the stories that offer it, and what their approvers let go they see again. */
export async function followMessage(context: Context, { data: { messageId, mayApprove } }: Emitted<ChangedMessage>) {
  const { db, accountId } = context
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id in (
      select m.story_id from story_messages m where m.account_id = ${accountId} and m.message_id = ${messageId})`)
    .orderBy('id')
    .modifyEnd(heldRows('stories', 'update'))
    .execute()
  for (const story of stories) {
    await holdStoryMedia(context, story.id)
    await followContent(context, story, mayApprove)
  }
}
