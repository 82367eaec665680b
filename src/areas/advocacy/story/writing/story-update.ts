import { submit } from '#areas/approval/decision/submission.ts'
import { standingItem } from '#areas/approval/item/item.ts'
import { moveItems } from '#areas/approval/item/item-change.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { prepareLater } from '../../generation/story-preparation.ts'
import { holdStoryMedia, mediaOf, requireStoryMedia, setMedia } from '../parts/story-media.ts'
import { messageIdsOf, requireMessages, setMessages } from '../parts/story-messages.ts'
import { retagStory } from '../parts/story-tags.ts'
import { setTopics } from '../parts/story-topics.ts'
import { requireMayChangeStory, storyApprovable } from '../story.approvable.ts'
import { detailsOf } from '../story-details.ts'
import { holdStory, isRepost, requireStory, type StoryRow } from '../story-row.ts'
import type { StoryChanges } from '../story-shape.ts'
import { changeStory } from './story-change.ts'
import { requireOrder } from './story-dates.ts'
import { boardFor, requireOpenCampaign } from './story-place.ts'
import { mayLetOut, returnToApproval, standingAfter } from './story-standing.ts'

/** What is not given stays; what is given takes the place of what was. */
export async function update(context: Context, { id, ...given }: StoryChanges) {
  const known = await requireStory(context, id)
  const { boardId = '', campaignId = '', workflowId = '', isDraft, tagIds, topicIds } = given
  // What a repost shares is the original's.
  const { messageIds, mediaIds, link } = isRepost(known) ? nothing : given
  const toOtherBoard = boardId !== '' && boardId !== known.boardId
  if (boardId !== '') await boardFor(context, boardId)
  if (campaignId !== '' && campaignId !== known.campaignId) await requireOpenCampaign(context, campaignId)
  // Before the story, as everybody who needs more than one of them does.
  if (messageIds) await requireMessages(context, 'messageIds', messageIds)
  if (mediaIds) await requireStoryMedia(context, mediaIds)
  const story = await holdStory(context, id)
  const item = await standingItem(context, id)
  requireMayChangeStory(context, story, item)
  if (story.status === 'active' && (isDraft !== undefined || workflowId !== ''))
    throw conflict('The story is being prepared at this moment. Try again in a few seconds.')

  const written = writtenTo(story, { ...given, link })
  const saysOther =
    toOtherBoard ||
    contentFields.some((field) => written[field] !== story[field]) ||
    (messageIds !== undefined && messageIds.join() !== (await messageIdsOf(context, id)).join()) ||
    (mediaIds !== undefined && mediaIds.join() !== (await mediaIdsOf(context, id)).join())
  const isSent = workflowId !== '' && !(item?.status === 'pending' && item.workflowId === workflowId)
  const mayApprove = mayLetOut(context)
  const place = { boardId: boardId || story.boardId, campaignId: campaignId || story.campaignId }
  const isMoved =
    place.campaignId !== story.campaignId ||
    dateFields.some((field) => written[field].getTime() !== story[field].getTime())
  const { status, isForApprovers } = isSent
    ? { status: story.status, isForApprovers: false }
    : standingAfter(story, item, { isDraft, saysOther, isMoved, mayApprove })
  await changeStory(context, story, {
    ...{ ...written, ...place, status },
    ...(isForApprovers && { isApproved: false }),
  })
  if (mediaIds) await setMedia(context, id, mediaIds)
  if (messageIds) await setMessages(context, id, messageIds)
  if (mediaIds || messageIds) await holdStoryMedia(context, id)
  if (toOtherBoard) await moveItems(context, id, boardId)
  if (isSent) await submit(context, storyApprovable, { entityId: id, workflowId })
  if (isForApprovers) await returnToApproval(context, story, item)
  await setTopics(context, { id, ...place }, { given: topicIds, isJudged: boardId !== '' })
  if (tagIds) await retagStory(context, id, tagIds)
  if (given.generateMessages)
    await prepareLater(context, id, { staysDraft: false, needsApproval: !mayApprove, generateMessages: true })
  return detailsOf(context, await requireStory(context, id))
}

const nothing = { messageIds: undefined, mediaIds: undefined, link: undefined }

/** What a change of which its approvers have to see. */
const contentFields = ['title', 'description', 'linkUrl'] as const
const dateFields = ['publishDate', 'expirationDate'] as const

function writtenTo(story: StoryRow, given: Omit<StoryChanges, 'id'>) {
  const { title = story.title, description = story.description, isFeatured = story.isFeatured, link } = given
  const publishDate = given.publishDatetime ?? story.publishDate
  const expirationDate = given.expirationDatetime ?? story.expirationDate
  if (given.publishDatetime || given.expirationDatetime) requireOrder(publishDate, expirationDate)
  const linkUrl = link === undefined ? story.linkUrl : link || null
  return { title, description, isFeatured, publishDate, expirationDate, linkUrl }
}

const mediaIdsOf = async (context: Context, id: string) =>
  (await mediaOf(context, [id])).get(id)?.map((asset) => asset.id) ?? []
