import { type SqlBool, sql } from 'kysely'
import { submitAgain, submitToDefault } from '#areas/approval/decision/submission.ts'
import { currentItem, currentItems, type Item } from '#areas/approval/item/item.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { conflict } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { requireMayChangeStory, storyApprovable } from './story.approvable.ts'
import { changeStory, type StoryRow } from './story.ts'
import { holdStoryMedia } from './story-attachments.ts'

interface Change {
  /** Undefined leaves it unchanged. */
  isDraft?: boolean | undefined
  /** The content or its target changed. */
  isContentChanged: boolean
  /** Dates or campaign changed, which needs no approval for users who may publish. */
  isMoved?: boolean
  mayApprove: boolean
}

interface StatusChange {
  status: StoryRow['status']
  /** Its approvers have to review it again. */
  isForApprovers: boolean
}

/** Status of a story after a change. Pending, rejected and approved stories are published by their approvers only. */
export function statusAfter({ status }: StoryRow, item: Item | undefined, change: Change): StatusChange {
  const { isDraft, mayApprove, isMoved = false } = change
  const publishes = isDraft === false
  // For users who may not publish, an approval covers the dates as well: otherwise they could publish an approved story immediately.
  const isOther = change.isContentChanged || (isMoved && !mayApprove && (status === 'approved' || status === 'pending'))
  const waits: StatusChange = { status: 'pending', isForApprovers: true }
  if (status === 'active') return { status, isForApprovers: false }
  if (item?.status === 'pending') {
    if (isDraft)
      throw conflict('The story waits for approval; take it out of its workflow before you make a draft of it.')
    return { status: 'pending', isForApprovers: isOther }
  }
  if (item?.status === 'rejected') return publishes ? waits : stays(isDraft ? 'draft' : status)
  if (item?.status === 'approved' && (isOther || (publishes && !mayApprove && status !== 'approved'))) return waits
  const requested = isDraft === undefined ? status : isDraft ? 'draft' : 'approved'
  if (requested !== 'approved' || mayApprove) return stays(requested)
  return status === 'approved' && !isOther ? stays('approved') : waits
}

const stays = (status: StoryRow['status']): StatusChange => ({ status, isForApprovers: false })

/** The content changed indirectly: a message was changed, or messages were added. The caller has locked the story. */
export async function contentChanged(context: Context, story: StoryRow, mayApprove: boolean) {
  const item = await currentItem(context, story.id)
  const { status, isForApprovers } = statusAfter(story, item, { isContentChanged: true, mayApprove })
  if (status !== story.status || isForApprovers)
    await changeStory(context, story, { status, ...(isForApprovers && { isApproved: false }) })
  if (isForApprovers) await returnToApproval(context, story, item)
}

/** Resubmits a locked, pending story to its approvers, or to the default workflow. */
export async function returnToApproval(context: Context, story: StoryRow, item: Item | undefined) {
  if (item) return submitAgain(context, storyApprovable, item)
  // Jobs have no user; the story's author is used.
  const createdBy = context.userId || story.createdBy
  await submitToDefault({ ...context, userId: createdBy }, storyApprovable, { entityId: story.id, createdBy })
}

export const mayPublish = ({ role }: Context) => may(role, 'approve')

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
  if (mayPublish(context)) return
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(
      sql<SqlBool>`id in (select m.story_id from story_messages m
        where m.account_id = ${accountId} and m.message_id = any (${events.map(({ data }) => data.messageId)}))`,
    )
    .execute()
  const items = await currentItems(
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
export async function messageChanged(context: Context, { data: { messageId, mayApprove } }: Emitted<ChangedMessage>) {
  const { db, accountId } = context
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id in (
      select m.story_id from story_messages m where m.account_id = ${accountId} and m.message_id = ${messageId})`)
    .orderBy('id')
    .modifyEnd(lockRows('stories', 'update'))
    .execute()
  for (const story of stories) {
    await holdStoryMedia(context, story.id)
    await contentChanged(context, story, mayApprove)
  }
}
