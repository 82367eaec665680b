import { sql } from 'kysely'
import type { Approvable, Description, Held, Orphan, Part } from '#areas/approval/approvable.ts'
import { requireMayChange } from '#areas/approval/item/approvers.ts'
import { currentItem, type Item } from '#areas/approval/item/item.ts'
import { present } from '#areas/publishing/message/message.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { advocacyIds } from '../declarations.ts'
import { changeStory, holdStory, isRepost, type StoryRow } from './story.ts'

/** Advocates don't see a story while it is pending approval. */
export const storyApprovable: Approvable = {
  idKind: advocacyIds.story,
  noun: 'story',
  describe,
  wording,
  hold,
  findOrphans,
}

/** Rejects users who may not publish and don't own the story, unless it is a draft. */
export const requireMayChangeStory = (context: Context, { createdBy, status }: StoryRow, item: Item | undefined) =>
  requireMayChange(context, 'story', { createdBy, isDraft: status === 'draft' || status === 'rejected' }, item)

async function describe(context: Context, ids: readonly string[]): Promise<Map<string, Description>> {
  const { db, accountId } = context
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  const messages = await messagesOf(context, ids)
  return new Map(
    stories.map((story) => {
      const { id, boardId: scopeId, title, description, publishDate: due } = story
      const text = title ? `${title}\n\n${description}` : description
      const network = networksOf(
        story,
        messages.filter(({ storyId }) => storyId === id),
      )
      return [id, { scopeId, storyId: id, network, text, planned: due.toUTCString(), due }]
    }),
  )
}

async function wording(context: Context, id: string): Promise<Part[]> {
  const { db, accountId } = context
  const story = await db
    .selectFrom('stories')
    .select(['title', 'description', 'linkUrl'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!story) return []
  const messages = await messagesOf(context, [id])
  const media = await db
    .selectFrom('storyMedia')
    .innerJoin('media', (join) =>
      join.on('media.accountId', '=', accountId).onRef('media.id', '=', 'storyMedia.mediaId'),
    )
    .select('media.name')
    .where('storyMedia.accountId', '=', accountId)
    .where('storyMedia.storyId', '=', id)
    .orderBy('storyMedia.position')
    .execute()
  return present([
    { name: 'Title', text: story.title ?? '' },
    { name: 'Text', text: story.description },
    { name: 'Link', text: story.linkUrl ?? '' },
    ...messages.map(({ network, message }, index) => ({ name: `Message ${index + 1}, ${network}`, text: message })),
    { name: 'Media', text: media.map(({ name }) => name).join('\n') },
  ])
}

async function hold(context: Context, id: string): Promise<Held> {
  const story = await holdStory(context, id)
  return {
    async submitted() {
      if (story.status === 'active')
        throw conflict('The story is being prepared at this moment. Try again in a few seconds.')
      requireMayChangeStory(context, story, await currentItem(context, id))
      await changeStory(context, story, { status: 'pending', isApproved: false })
    },
    async approved() {
      const publishDate = await dateAfterWaiting(context, story)
      await changeStory(context, story, { status: 'approved', isApproved: true, publishDate })
    },
    async rejected() {
      await changeStory(context, story, { status: 'rejected' })
    },
    async withdrawn({ wasRejected }) {
      await changeStory(context, story, { status: wasRejected ? 'rejected' : 'draft' })
    },
  }
}

async function findOrphans({ db, accountId }: Context): Promise<Orphan[]> {
  const { rows } = await sql<Orphan>`
    select s.id, s.created_by from stories s where s.account_id = ${accountId} and s.phase = 'pending'
      and not exists (select from workflow_items i
        where i.account_id = ${accountId} and i.status = 'pending' and i.entity_id = s.id)
    order by s.id`.execute(db)
  return rows
}

/** A story due while pending is published on approval; an already published one keeps its date. */
async function dateAfterWaiting(context: Context, { id, publishDate }: StoryRow): Promise<Date> {
  const item = await currentItem(context, id)
  const publishDatePassed = item !== undefined && publishDate >= item.created && publishDate < context.now
  return publishDatePassed ? context.now : publishDate
}

/** Networks of its messages, in order. */
const networksOf = (story: StoryRow, messages: readonly { network: string }[]) =>
  isRepost(story) ? 'LinkedIn' : [...new Set(messages.map(({ network }) => network))].join(', ')

const messagesOf = ({ db, accountId }: Context, storyIds: readonly string[]) =>
  db
    .selectFrom('storyMessages')
    .innerJoin('messages', (join) =>
      join.on('messages.accountId', '=', accountId).onRef('messages.id', '=', 'storyMessages.messageId'),
    )
    .select(['storyMessages.storyId', 'messages.network', 'messages.message'])
    .where('storyMessages.accountId', '=', accountId)
    .where('storyMessages.storyId', 'in', storyIds)
    .where('messages.deleted', 'is', null)
    .orderBy('storyMessages.position')
    .execute()
