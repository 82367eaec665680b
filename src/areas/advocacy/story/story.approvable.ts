import type { Approvable, Description, Held } from '#areas/approval/approvable.ts'
import { standingItem } from '#areas/approval/item/item.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { holdStory, isRepost, type StoryRow } from './story-row.ts'
import { changeStory } from './writing/story-change.ts'

/** No advocate sees a story while it waits for approval. */
export const storyApprovable: Approvable = { idKind: 'story', noun: 'story', describe, hold }

async function describe(context: Context, id: string): Promise<Description | undefined> {
  const { db, accountId } = context
  const story = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!story) return undefined
  const { boardId: scopeId, title, description, publishDate } = story
  const text = title ? `${title}\n\n${description}` : description
  const network = await networksOf(context, story)
  return { scopeId, storyId: id, network, text, planned: publishDate.toUTCString() }
}

async function hold(context: Context, id: string): Promise<Held> {
  const story = await holdStory(context, id)
  return {
    async submitted() {
      if (story.status === 'active')
        throw conflict('The story is being prepared at this moment. Try again in a few seconds.')
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

/** What was to come out while it waited comes out when it is approved; what was out before stays where it was. */
async function dateAfterWaiting(context: Context, { id, publishDate }: StoryRow): Promise<Date> {
  const item = await standingItem(context, id)
  const cameMeanwhile = item !== undefined && publishDate >= item.created && publishDate < context.now
  return cameMeanwhile ? context.now : publishDate
}

/** Those of its messages, in the order in which they stand. */
async function networksOf({ db, accountId }: Context, story: StoryRow): Promise<string> {
  if (isRepost(story)) return 'LinkedIn'
  const rows = await db
    .selectFrom('storyMessages')
    .innerJoin('messages', (join) =>
      join.on('messages.accountId', '=', accountId).onRef('messages.id', '=', 'storyMessages.messageId'),
    )
    .select('messages.network')
    .where('storyMessages.accountId', '=', accountId)
    .where('storyMessages.storyId', '=', story.id)
    .where('messages.deleted', 'is', null)
    .orderBy('storyMessages.position')
    .execute()
  return [...new Set(rows.map(({ network }) => network))].join(', ')
}
