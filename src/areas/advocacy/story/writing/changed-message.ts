import { type SqlBool, sql } from 'kysely'
import { standingItems } from '#areas/approval/item/item.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { holdStoryMedia } from '../parts/story-media.ts'
import { requireMayChangeStory } from '../story.approvable.ts'
import { followContent, mayLetOut } from './story-status.ts'

interface ChangedMessage {
  messageId: string
  mayApprove: boolean
}

/**
 * Users who may not publish can't change a message of an approved or pending story: advocates could share the text until the story is
 * updated. Replacing the message returns the story to its approvers immediately.
 */
export async function protectStories(context: Context, events: readonly Emitted<{ messageId: string }>[]) {
  const { db, accountId } = context
  if (mayLetOut(context)) return
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(
      sql<SqlBool>`id in (select m.story_id from story_messages m
        where m.account_id = ${accountId} and m.message_id = any (${events.map(({ data }) => data.messageId)}))`,
    )
    .execute()
  const items = await standingItems(
    context,
    stories.map(({ id }) => id),
  )
  for (const story of stories) {
    requireMayChangeStory(context, story, items.get(story.id))
    if (story.status !== 'draft' && story.status !== 'rejected')
      throw conflict(
        'This message is part of a story that is approved or waiting for approval. Add another message to the story instead.',
      )
  }
}

export const followMessageName = 'advocacy.follow-message'

/** A changed message changes its stories, so approved ones return to approval. */
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
