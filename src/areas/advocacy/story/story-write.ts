import { submit } from '#areas/approval/decision/submission.ts'
import { currentItem, leaveApproval, moveItems } from '#areas/approval/item/item.ts'
import { visible as visibleWorkflows } from '#areas/approval/workflow/workflow.ts'
import { releaseMedia } from '#areas/media/asset/asset.ts'
import { visible as visibleCampaigns } from '#areas/publishing/campaign/campaign.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/quotas/quotas.ts'
import { announceStory } from '../advocacy.events.ts'
import { type BoardRow, visibleBoards } from '../board/board-row.ts'
import { advocacyIds, advocacyQuotas } from '../declarations.ts'
import { prepareLater } from './prepare-story.job.ts'
import { requireMayChangeStory, storyApprovable } from './story.approvable.ts'
import {
  changeStory,
  holdStory,
  isRepost,
  phaseAt,
  requireStory,
  type StoryRow,
  storiesChanged,
  type WrittenStory,
} from './story.ts'
import {
  addMessages,
  holdStoryMedia,
  mediaOf,
  messageIdsOf,
  requireMessages,
  requireStoryMedia,
  setMedia,
  setMessages,
} from './story-attachments.ts'
import { detailsOf } from './story-queries.ts'
import { derivedFrom } from './story-repost.ts'
import type { StoryChanges, StoryDraft } from './story-shape.ts'
import { mayPublish, returnToApproval, statusAfter } from './story-status.ts'
import { addTopics, leaveTopics, retagStory, setTopics, tagStory } from './story-topics.ts'

export async function create(context: Context, draft: StoryDraft) {
  const { tagIds = [], topicIds = [], isDraft = false, generateMessages = false, workflowId = '', ...given } = draft
  const board = await boardFor(context, given.boardId)
  const dates = datesOf(context, given, board.defaultExpiration)
  const content = given.postlogId ? await repostOf(context, given) : await writtenBy(context, given)
  const { mediaIds, messageIds, ...about } = content
  const isForApproval = workflowId !== ''
  if (isForApproval) await requireWorkflow(context, workflowId)
  await requireMessages(context, 'messageIds', messageIds)
  await requireStoryMedia(context, mediaIds)

  const isPrepared = about.type === 'post-attachment'
  const mayApprove = mayPublish(context)
  // A story for a workflow is a draft until it is submitted.
  const unprepared = isDraft || isForApproval ? 'draft' : mayApprove ? 'approved' : 'pending'
  const status = isPrepared ? 'active' : unprepared
  const pendingWorkflowId = isPrepared && isForApproval ? workflowId : null
  const target = { boardId: board.id, workflowId: pendingWorkflowId, isFeatured: given.isFeatured ?? false }
  const story = await insert(context, { ...about, ...target, ...dates, status })
  await storiesChanged(context, [], [story])
  await setMedia(context, story.id, mediaIds)
  await addMessages(context, story.id, messageIds)
  await holdStoryMedia(context, story.id)
  if (isForApproval && !isPrepared) await submit(context, storyApprovable, { entityId: story.id, workflowId })
  if (status === 'pending') await returnToApproval(context, story, undefined)
  await addTopics(context, story.id, board.id, topicIds)
  await tagStory(context, story.id, tagIds)
  if (isPrepared || generateMessages)
    await prepareLater(context, story.id, { staysDraft: isDraft, needsApproval: !mayApprove, generateMessages })
  const made = await detailsOf(context, await requireStory(context, story.id))
  await announceStory(context, made)
  return made
}

type Given = Omit<StoryDraft, 'tagIds' | 'topicIds'>
type StoryContent = Pick<StoryRow, 'title' | 'description' | 'campaignId'> &
  Partial<WrittenStory> & { mediaIds: string[]; messageIds: string[] }

/** Content of the original; link, media and messages of the request are ignored. */
async function repostOf(context: Context, { postlogId = '', title, description, campaignId = '' }: Given) {
  const derived = await derivedFrom(context, postlogId)
  if (campaignId !== '') await requireOpenCampaign(context, campaignId)
  const content: StoryContent = {
    ...derived,
    title: title ?? derived.title,
    description: description ?? derived.description,
    campaignId: campaignId || derived.campaignId,
    mediaIds: [],
    messageIds: [],
  }
  return content
}

async function writtenBy(context: Context, given: Given) {
  const { title, description, campaignId = '', link = '', mediaIds = [], messageIds = [] } = given
  if (title === undefined) throw absent('title')
  if (description === undefined) throw absent('description')
  if (campaignId === '') throw absent('campaignId')
  await requireOpenCampaign(context, campaignId)
  const content: StoryContent = { title, description, campaignId, linkUrl: link || null, mediaIds, messageIds }
  return content
}

const absent = (name: string) => invalid(`Missing value for parameter ${name}.`)

type Written = Pick<
  StoryRow,
  'title' | 'description' | 'campaignId' | 'boardId' | 'publishDate' | 'expirationDate' | 'status' | 'isFeatured'
> &
  Partial<WrittenStory>

function insert(context: Context, written: Written): Promise<StoryRow> {
  const { db, accountId, userId, now } = context
  const made = {
    accountId,
    id: newId(advocacyIds.story, now),
    created: now,
    modified: now,
    createdBy: userId,
    modifiedBy: userId,
  }
  const row = { ...made, ...written, ...phaseAt(written, now) }
  const existing = () => db.selectFrom('stories').where('accountId', '=', accountId)
  return insertWithin(context, advocacyQuotas.stories, existing, { into: 'stories', row })
}

/** Omitted fields stay unchanged, given ones replace. */
export async function update(context: Context, { id, ...given }: StoryChanges) {
  const known = await requireStory(context, id)
  const { boardId = '', campaignId = '', workflowId = '', isDraft, tagIds, topicIds } = given
  // A repost shares the content of the original.
  const { messageIds, mediaIds, link } = isRepost(known) ? nothing : given
  const toOtherBoard = boardId !== '' && boardId !== known.boardId
  if (boardId !== '') await boardFor(context, boardId)
  if (campaignId !== '' && campaignId !== known.campaignId) await requireOpenCampaign(context, campaignId)
  // Before the story, the lock order.
  if (messageIds) await requireMessages(context, 'messageIds', messageIds)
  if (mediaIds) await requireStoryMedia(context, mediaIds)
  const story = await holdStory(context, id)
  const item = await currentItem(context, id)
  requireMayChangeStory(context, story, item)
  if (story.status === 'active' && (isDraft !== undefined || workflowId !== ''))
    throw conflict('The story is being prepared at this moment. Try again in a few seconds.')

  const written = writtenTo(story, { ...given, link })
  const isContentChanged =
    toOtherBoard ||
    contentFields.some((field) => written[field] !== story[field]) ||
    (messageIds !== undefined && messageIds.join() !== (await messageIdsOf(context, id)).join()) ||
    (mediaIds !== undefined && mediaIds.join() !== (await mediaIdsOf(context, id)).join())
  const isSent = workflowId !== '' && !(item?.status === 'pending' && item.workflowId === workflowId)
  const mayApprove = mayPublish(context)
  const target = { boardId: boardId || story.boardId, campaignId: campaignId || story.campaignId }
  const isMoved =
    target.campaignId !== story.campaignId ||
    dateFields.some((field) => written[field].getTime() !== story[field].getTime())
  const { status, isForApprovers } = isSent
    ? { status: story.status, isForApprovers: false }
    : statusAfter(story, item, { isDraft, isContentChanged, isMoved, mayApprove })
  await changeStory(context, story, {
    ...written,
    ...target,
    status,
    ...(isForApprovers && { isApproved: false }),
  })
  if (mediaIds) await setMedia(context, id, mediaIds)
  if (messageIds) await setMessages(context, id, messageIds)
  if (mediaIds || messageIds) await holdStoryMedia(context, id)
  if (toOtherBoard) await moveItems(context, id, boardId)
  if (isSent) await submit(context, storyApprovable, { entityId: id, workflowId })
  if (isForApprovers) await returnToApproval(context, story, item)
  await setTopics(context, { id, ...target }, { given: topicIds, isJudged: boardId !== '' })
  if (tagIds) await retagStory(context, id, tagIds)
  if (given.generateMessages)
    await prepareLater(context, id, { staysDraft: false, needsApproval: !mayApprove, generateMessages: true })
  return detailsOf(context, await requireStory(context, id))
}

const nothing = { messageIds: undefined, mediaIds: undefined, link: undefined }

/** Fields whose change requires approval. */
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

const day = 24 * 60 * 60 * 1000

/** Fallback for an unreadable board setting. */
const usual = { count: 6, unit: 'months' }

/** End date by a board's setting: `in_6_months`, `in_10_days`. */
export function expirationFrom(from: Date, defaultExpiration: string): Date {
  const [, digits, word] = /^in_(\d{1,4})_(day|week|month)s?$/.exec(defaultExpiration) ?? []
  const { count, unit } = word ? { count: Number(digits), unit: `${word}s` } : usual
  if (unit !== 'months') return new Date(from.getTime() + count * day * (unit === 'weeks' ? 7 : 1))
  return monthsAfter(from, count)
}

/** The last day of a shorter month. */
function monthsAfter(from: Date, months: number): Date {
  const moment = new Date(from)
  const wanted = moment.getUTCDate()
  moment.setUTCDate(1)
  moment.setUTCMonth(moment.getUTCMonth() + months)
  const last = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate()
  moment.setUTCDate(Math.min(wanted, last))
  return moment
}

interface GivenDates {
  publishDatetime?: Date | undefined
  expirationDatetime?: Date | undefined
}

/** Publication and expiry of a new story. */
function datesOf({ now }: Pick<Context, 'now'>, given: GivenDates, defaultExpiration: string) {
  const publishDate = given.publishDatetime ?? now
  const expirationDate = given.expirationDatetime ?? expirationFrom(publishDate, defaultExpiration)
  requireOrder(publishDate, expirationDate)
  return { publishDate, expirationDate }
}

function requireOrder(publishDate: Date, expirationDate: Date) {
  if (expirationDate > publishDate) return
  throw invalid(
    `expirationDatetime (${content(expirationDate)} UTC) must lie after publishDatetime (${content(publishDate)} UTC).`,
  )
}

const content = (moment: Date) => moment.toISOString().slice(0, 19).replace('T', ' ')

/** The board given by a parameter, or the oldest one for stories; rejects other boards. */
async function boardFor(context: Context, boardId = ''): Promise<BoardRow> {
  const boards = visibleBoards(context).selectAll()
  if (boardId === '') {
    const [oldest] = await boards
      .where('status', '=', 'active')
      .where('kind', '=', 'stories')
      .orderBy('created')
      .orderBy('id')
      .limit(1)
      .execute()
    if (!oldest) throw invalid('There is no board in use that takes stories. Make one, or name another with boardId.')
    return oldest
  }
  const board = await boards.where('id', '=', boardId).executeTakeFirst()
  if (!board) throw invalid(`boardId names no board: "${boardId.slice(0, 40)}".`)
  if (board.status === 'archived') throw conflict(`The board "${board.name}" is archived: make it active again first.`)
  if (board.kind === 'messages')
    throw invalid(`The board "${board.name}" takes messages, not stories: use POST /board-message.`)
  return board
}

/** The campaign given by a parameter; rejects closed ones. */
async function requireOpenCampaign(context: Context, campaignId: string) {
  const campaign = await visibleCampaigns(context).where('id', '=', campaignId).executeTakeFirst()
  if (!campaign) throw invalid(`campaignId names no campaign: "${campaignId.slice(0, 40)}".`)
  if (campaign.status === 'archived')
    throw conflict(`The campaign "${campaign.name}" is archived: make it active again first.`)
}

/** Rejects an unusable workflow before anything else starts. */
async function requireWorkflow(context: Context, workflowId: string) {
  const workflow = await visibleWorkflows(context).where('id', '=', workflowId).executeTakeFirst()
  if (!workflow) throw invalid(`workflowId names no workflow: "${workflowId.slice(0, 40)}".`)
  if (workflow.status === 'inactive')
    throw conflict(`The workflow "${workflow.name}" is not in use. Choose another one.`)
}

/** Its shares stay. */
export async function remove(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const story = await holdStory(context, id)
  requireMayChangeStory(context, story, await currentItem(context, id))
  await leaveApproval(context, [id])
  await leaveTopics(context, id)
  await retagStory(context, id, [])
  await db.deleteFrom('stories').where('accountId', '=', accountId).where('id', '=', id).execute()
  await db.deleteFrom('storyOffers').where('accountId', '=', accountId).where('storyId', '=', id).execute()
  await releaseMedia(context, id)
  await storiesChanged(context, [story], [])
}
