import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Page } from '#kernel/database/paginate.ts'
import { invalid } from '#kernel/errors.ts'
import { noteSeen, requireMembership } from '../advocate/membership.ts'
import type { StoryRow } from '../story/story.ts'
import type { shareStatuses } from './share-shape.ts'

/** Only this many of the newest stories are offered. */
const mostOffered = 1_000

/** Stories offered to an advocate: selected topics first, then featured ones, then by date. */
export async function search(context: Context, { id: boardId, page }: { id: string; page: Page }) {
  await requireMembership(context, boardId)
  await noteSeen(context, boardId)
  const { db, accountId, userId } = context
  const open = await openStories(context, boardId)
    .select(['id', 'isFeatured', 'publishDate'])
    .select(
      sql<boolean>`exists (select from story_topics t join topic_subscriptions s on s.account_id = ${accountId}
        and s.topic_id = t.topic_id and s.user_id = ${userId}
        where t.account_id = ${accountId} and t.story_id = stories.id)`.as('isOfMyTopics'),
    )
    .orderBy('publishDate', 'desc')
    .orderBy('id', 'desc')
    .limit(mostOffered)
    .execute()
  const newestFirst = page.order.ascending ? open.toReversed() : open
  const sorted = newestFirst.toSorted(
    (one, other) =>
      Number(other.isOfMyTopics) - Number(one.isOfMyTopics) || Number(other.isFeatured) - Number(one.isFeatured),
  )
  const shown = sorted.slice(page.offset, page.limit === undefined ? undefined : page.offset + page.limit)
  const ids = shown.map(({ id }) => id)
  if (ids.length === 0) return { items: [], total: sorted.length }
  const stories = await db
    .selectFrom('stories')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  const [parts, shares] = [await partsOf(context, ids), await sharesOf(context, ids)]
  const items = shown.flatMap(({ id, isOfMyTopics }) => {
    const story = stories.find((one) => one.id === id)
    const { topics = [], networks = [] } = parts.get(id) ?? {}
    const shared = shares.filter(({ storyId }) => storyId === id)
    return story ? [{ ...story, isOfMyTopics, topics, networks, shared, isRepost: story.postlogId !== '' }] : []
  })
  return { items, total: sorted.length }
}

/** Topic names, and networks with messages. */
async function partsOf({ db, accountId }: Context, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; topics: string[]; networks: string[] }>`
    select requested.id, array(
        select p.name from story_topics t join topics p on p.account_id = ${accountId} and p.id = t.topic_id
        where t.account_id = ${accountId} and t.story_id = requested.id order by lower(p.name)) as topics,
      array(
        select distinct m.network from story_messages v join messages m on m.account_id = ${accountId} and m.id = v.message_id
        where v.account_id = ${accountId} and v.story_id = requested.id and m.deleted is null order by m.network) as networks
    from unnest(${ids}::text[]) as requested (id)`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

async function sharesOf({ db, accountId, userId }: Context, ids: readonly string[]) {
  const rows = await db
    .selectFrom('shares')
    .select(['storyId', 'credentialId', 'network', 'status'])
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .where('storyId', 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, status: row.status as (typeof shareStatuses)[number] }))
}

/** Stories a board's advocates may share now: approved, published, not expired. */
export const openStories = ({ db, accountId, now }: Context, boardId: string) =>
  db
    .selectFrom('stories')
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('status', '=', sql.lit('approved'))
    .where('publishDate', '<=', now)
    .where('expirationDate', '>', now)

/** An open story given by a parameter. */
export async function requireOpenStory(context: Context, boardId: string, storyId: string): Promise<StoryRow> {
  const story = await openStories(context, boardId).selectAll().where('id', '=', storyId).executeTakeFirst()
  if (!story) throw notOffered(storyId)
  return story
}

/** The same, locked: concurrent planning and assignment of variants wait. */
export async function holdOpenStory(context: Context, boardId: string, storyId: string): Promise<StoryRow> {
  const story = await openStories(context, boardId)
    .selectAll()
    .where('id', '=', storyId)
    .modifyEnd(lockRows('stories', 'no key update'))
    .executeTakeFirst()
  if (!story) throw notOffered(storyId)
  return story
}

const notOffered = (storyId: string) =>
  invalid(`storyId names no story that can be shared on this board now: "${storyId.slice(0, 40)}".`)
