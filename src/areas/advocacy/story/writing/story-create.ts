import { submit } from '#areas/approval/decision/submission.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { insertWithin } from '#kernel/room/insert-within.ts'
import { prepareLater } from '../../generation/story-preparation.ts'
import { holdStoryMedia, requireStoryMedia, setMedia } from '../parts/story-media.ts'
import { addMessages, requireMessages } from '../parts/story-messages.ts'
import { tagStory } from '../parts/story-tags.ts'
import { addTopics } from '../parts/story-topics.ts'
import { storyApprovable } from '../story.approvable.ts'
import { announceStory } from '../story.events.ts'
import { storiesChanged } from '../story-count.ts'
import { detailsOf } from '../story-details.ts'
import { phaseAt, requireStory, type StoryRow, type WrittenStory } from '../story-row.ts'
import type { StoryDraft } from '../story-shape.ts'
import { datesOf } from './story-dates.ts'
import { boardFor, requireOpenCampaign, requireWorkflow } from './story-place.ts'
import { derivedFrom } from './story-repost.ts'
import { mayLetOut, returnToApproval } from './story-standing.ts'

export async function create(context: Context, draft: StoryDraft) {
  const { tagIds = [], topicIds = [], isDraft = false, generateMessages = false, workflowId = '', ...given } = draft
  const board = await boardFor(context, given.boardId)
  const dates = datesOf(context, given, board.defaultExpiration)
  const said = given.postlogId ? await repostOf(context, given) : await writtenBy(context, given)
  const { mediaIds, messageIds, ...about } = said
  const isForApproval = workflowId !== ''
  if (isForApproval) await requireWorkflow(context, workflowId)
  await requireMessages(context, 'messageIds', messageIds)
  await requireStoryMedia(context, mediaIds)

  const isPrepared = about.type === 'post-attachment'
  const mayApprove = mayLetOut(context)
  // What is sent to a workflow by name is a draft until it waits there.
  const unprepared = isDraft || isForApproval ? 'draft' : mayApprove ? 'approved' : 'pending'
  const status = isPrepared ? 'active' : unprepared
  const goesTo = isPrepared && isForApproval ? workflowId : null
  const place = { boardId: board.id, workflowId: goesTo, isFeatured: given.isFeatured ?? false }
  const story = await insert(context, { ...about, ...place, ...dates, status })
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
type Said = Pick<StoryRow, 'title' | 'description' | 'campaignId'> &
  Partial<WrittenStory> & { mediaIds: string[]; messageIds: string[] }

/** What the original says; link, media and messages of the request do not matter. */
async function repostOf(context: Context, { postlogId = '', title, description, campaignId = '' }: Given) {
  const derived = await derivedFrom(context, postlogId)
  if (campaignId !== '') await requireOpenCampaign(context, campaignId)
  const said: Said = {
    ...derived,
    ...{ title: title ?? derived.title, description: description ?? derived.description },
    ...{ campaignId: campaignId || derived.campaignId, mediaIds: [], messageIds: [] },
  }
  return said
}

async function writtenBy(context: Context, given: Given) {
  const { title, description, campaignId = '', link = '', mediaIds = [], messageIds = [] } = given
  if (title === undefined) throw absent('title')
  if (description === undefined) throw absent('description')
  if (campaignId === '') throw absent('campaignId')
  await requireOpenCampaign(context, campaignId)
  const said: Said = { title, description, campaignId, linkUrl: link || null, mediaIds, messageIds }
  return said
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
    id: newId('story', now),
    created: now,
    modified: now,
    createdBy: userId,
    modifiedBy: userId,
  }
  const row = { ...made, ...written, ...phaseAt(written, now) }
  const existing = () => db.selectFrom('stories').where('accountId', '=', accountId)
  return insertWithin(context, 'stories', existing, db.insertInto('stories').values(row).returningAll())
}
