import { submitAgain, submitToDefault } from '#areas/approval/decision/submission.ts'
import { type Item, standingItem } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { may } from '#kernel/permissions.ts'
import { storyApprovable } from '../story.approvable.ts'
import { changeStory, type StoryRow } from '../story-row.ts'

interface Change {
  /** What the caller asks for; nothing leaves it as it is. */
  isDraft?: boolean | undefined
  /** Something else would be shared, or elsewhere. */
  saysOther: boolean
  /** Other dates or another campaign, which need no approval of those who may publish. */
  isMoved?: boolean
  mayApprove: boolean
}

interface Standing {
  status: StoryRow['status']
  /** Its approvers have to see it, again or anew. */
  isForApprovers: boolean
}

/** How a story stands after a change. What waits, was rejected or was approved is published by its approvers alone. */
export function standingAfter({ status }: StoryRow, item: Item | undefined, change: Change): Standing {
  const { isDraft, mayApprove, isMoved = false } = change
  const publishes = isDraft === false
  // To whoever may not publish, an approval covers the dates as well: otherwise they could publish an approved story right now.
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

/**
 * What a story says is another, which nobody asked for by changing the story itself: a message of it was changed, or it got new ones. The
 * caller holds it.
 */
export async function followContent(context: Context, story: StoryRow, mayApprove: boolean) {
  const item = await standingItem(context, story.id)
  const { status, isForApprovers } = standingAfter(story, item, { saysOther: true, mayApprove })
  if (status !== story.status || isForApprovers)
    await changeStory(context, story, { status, ...(isForApprovers && { isApproved: false }) })
  if (isForApprovers) await returnToApproval(context, story, item)
}

/** Sends a story, which the caller holds and has marked as pending, to its approvers again or to the default workflow. */
export async function returnToApproval(context: Context, story: StoryRow, item: Item | undefined) {
  if (item) return submitAgain(context, storyApprovable, item)
  // Nobody calls where a job follows a change; the story is its author's.
  const createdBy = context.userId || story.createdBy
  await submitToDefault({ ...context, userId: createdBy }, storyApprovable, { entityId: story.id, createdBy })
}

export const mayLetOut = ({ role }: Context) => may(role, 'approve')
