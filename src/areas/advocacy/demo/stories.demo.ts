import { type Insertable, sql } from 'kysely'
import { daysFrom, demoId, owner } from '#areas/account/account.demo.ts'
import { seedMoreItems } from '#areas/approval/approval.demo.ts'
import { countMessages, insertBoardMessages } from '#areas/publishing/message/message-write.ts'
import type { Context } from '#kernel/context.ts'
import type { Stories } from '#kernel/database/tables.ts'
import { ownSentences } from '../story/generator.ts'
import { phaseAt, storiesChanged } from '../story/story.ts'
import { addMessages, holdStoryMedia, setMedia } from '../story/story-attachments.ts'
import { derivedFrom } from '../story/story-repost.ts'
import { tagStory } from '../story/story-topics.ts'
import { demoBoards } from './boards.demo.ts'
import { type DemoStory, demoStories } from './story-table.demo.ts'

/** Stories in every status with their messages, and messages on the older board, as created by the product. */
export async function seedStories(context: Context) {
  const { db, accountId } = context
  const originals = await publishedPosts(context)
  const rows: Insertable<Stories>[] = []
  for (const [index, story] of demoStories.entries())
    rows.push(await rowOf(context, story, originals[index % originals.length] ?? ''))
  const stories = await db.insertInto('stories').values(rows).returningAll().execute()
  const topics = demoStories.flatMap(({ id: storyId, topicId }) => (topicId ? [{ accountId, storyId, topicId }] : []))
  await db.insertInto('storyTopics').values(topics).execute()
  for (const story of demoStories) await attachParts(context, story)
  await seedVariants(context)
  await seedBoardMessages(context)
  await seedMoreItems(
    context,
    demoStories.flatMap(({ id, kind, boardId }) => {
      const about = { entityId: id, storyId: id, scopeId: boardId, network: 'LinkedIn, Twitter, Facebook' }
      return kind === 'pending' || kind === 'rejected' || kind === 'approved' ? [{ ...about, status: kind }] : []
    }),
  )
  await sql`
    update topics t set used = u.stories, last_used = ${daysFrom(context)(-1)} from (
      select topic_id, count(*) as stories from story_topics where account_id = ${accountId} group by topic_id) u
    where t.account_id = ${accountId} and t.id = u.topic_id`.execute(db)
  await storiesChanged(context, [], stories)
}

async function rowOf(context: Context, story: DemoStory, original: string): Promise<Insertable<Stories>> {
  const { accountId, now } = context
  const at = daysFrom(context)
  const { id, kind, boardId, createdBy, isFeatured, title, description, campaign } = story
  const isOut = kind === 'published' || kind === 'scheduled' || kind === 'expired' || kind === 'repost'
  const status = isOut ? 'approved' : kind
  const written = at(Math.min(story.from, 0) - 1)
  const [publishDate, expirationDate] = [at(story.from), at(story.to)]
  const content =
    kind === 'repost'
      ? await derivedFrom(context, original)
      : { title, description, campaignId: demoId('002', campaign), linkUrl: `https://example.com/northwind/${id}` }
  return {
    accountId,
    id,
    created: written,
    modified: written,
    createdBy,
    modifiedBy: createdBy,
    boardId,
    isFeatured,
    ...content,
    status,
    publishDate,
    expirationDate,
    isApproved: kind === 'approved',
    ...phaseAt({ status, publishDate, expirationDate }, now),
  }
}

/** The campaign's own messages for the advocates' networks. */
async function attachParts(context: Context, { id, campaign, mediaId, kind }: DemoStory) {
  const first = (campaign - 1) * 5 + 1
  if (mediaId) await setMedia(context, id, [mediaId])
  if (kind !== 'repost')
    await addMessages(
      context,
      id,
      [0, 1, 2].map((number) => demoId('005', first + number)),
    )
  await tagStory(context, id, [demoId('0AF', 1 + (campaign % 4))])
  await holdStoryMedia(context, id)
}

/** The first story has more variants. */
async function seedVariants(context: Context) {
  const [story] = demoStories
  if (!story) return
  const { id: seed, title, description: text } = story
  const link = `https://example.com/northwind/${seed}`
  const texts = await ownSentences.generate({ seed, title, text, link, network: 'LinkedIn', count: 8 })
  const campaignId = demoId('002', story.campaign)
  const messages = texts.map((message) => ({ network: 'LinkedIn' as const, message }))
  const ids = await insertBoardMessages({ ...context, userId: owner }, campaignId, messages)
  await addMessages(context, seed, ids, 3)
  await countMessages(context, campaignId, ids.length)
}

async function seedBoardMessages(context: Context) {
  const { db, accountId } = context
  const at = daysFrom(context)
  const rows = [16, 17, 21].map((number) => ({
    accountId,
    boardId: demoBoards.messages,
    messageId: demoId('005', number),
    created: at(-20),
    createdBy: owner,
    startDate: at(-20),
    expireDate: at(160),
    important: number === 16,
  }))
  await db.insertInto('boardMessages').values(rows).execute()
}

/** Postlog ids of sent LinkedIn posts. */
async function publishedPosts({ db, accountId }: Context): Promise<string[]> {
  const rows = await db
    .selectFrom('postlogs')
    .select('id')
    .where('accountId', '=', accountId)
    .where('network', '=', 'LinkedIn')
    .where('status', '=', 'success')
    .orderBy('id')
    .limit(20)
    .execute()
  return rows.map(({ id }) => id)
}
