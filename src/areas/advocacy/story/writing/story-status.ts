import { submitAgain, submitToDefault } from '#areas/approval/decision/submission.ts'
import { type Item, standingItem } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { storyApprovable } from '../story.approvable.ts'
import { changeStory, type StoryRow } from '../story-row.ts'

interface Change {
  /** Undefined leaves it unchanged. */
  isDraft?: boolean | undefined
  /** The content or its target changed. */
  saysOther: boolean
  /** Dates or campaign changed, which needs no approval for users who may publish. */
  isMoved?: boolean
  mayApprove: boolean
}

interface Standing {
  status: StoryRow['status']
  /** Its approvers have to review it again. */
  isForApprovers: boolean
}

/** Status of a story after a change. Pending, rejected and approved stories are published by their approvers only. */
export function standingAfter({ status }: StoryRow, item: Item | undefined, change: Change): Standing {
  const { isDraft, mayApprove, isMoved = false } = change
  const publishes = isDraft === false
  // For users who may not publish, an approval covers the dates as well: otherwise they could publish an approved story immediately.
  const isOther = change.saysOther || (isMoved && !mayApprove && (status === 'approved' || status === 'pending'))
  const waits: Standing = { status: 'pending', isForApprovers: true }
  if (status === 'active') return { status, isForApprovers: false }
  if (item?.status === 'pending') {
    if (isDraft)
      throw conflict('The story waits for approval; take it out of its workflow before you make a draft of it.')
    return { status: 'pending', isForApprovers: isOther }
  }
  if (item?.status === 'rejected') return publishes ? waits : stays(isDraft ? 'draft' : status)
  if (item?.status === 'approved' && (isOther || (publishes && !mayApprove && status !== 'approved'))) return waits
  const wanted = isDraft === undefined ? status : isDraft ? 'draft' : 'approved'
  if (wanted !== 'approved' || mayApprove) return stays(wanted)
  return status === 'approved' && !isOther ? stays('approved') : waits
}

const stays = (status: StoryRow['status']): Standing => ({ status, isForApprovers: false })

/** The content changed indirectly: a message was changed, or messages were added. The caller has locked the story. */
export async function followContent(context: Context, story: StoryRow, mayApprove: boolean) {
  const item = await standingItem(context, story.id)
  const { status, isForApprovers } = standingAfter(story, item, { saysOther: true, mayApprove })
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

export const mayLetOut = ({ role }: Context) => may(role, 'approve')
