import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { currentItems } from '#areas/approval/item/item.ts'
import { tagsOf } from '#areas/publishing/tag.ts'
import type { Context } from '#kernel/context.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import type { DB } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { listedByWeight } from '#kernel/pages.ts'
import { visibleBoards } from '../board/board-row.ts'
import { isRepost, requireStory, type StoryRow } from './story.ts'
import { mediaOf, messagesOf, sizesOf } from './story-attachments.ts'
import { topicsOf, visibleTopics } from './story-topics.ts'

/** Adds messages, media, topics, tags and workflow to stories. */
async function withDetails(context: Context, stories: readonly StoryRow[]) {
  if (stories.length === 0) return []
  const ids = stories.map(({ id }) => id)
  const messages = await messagesOf(context, ids)
  const media = await mediaOf(context, ids)
  const topics = await topicsOf(context, ids)
  const tags = await tagsOf(context, ids)
  const items = await currentItems(context, ids)
  return stories.map((story) => {
    const own = media.get(story.id) ?? []
    const picture = own.find(({ type }) => type === 'Image' || type === 'ImageUrl')
    const video = own.find(({ type }) => type === 'Video')
    return {
      ...story,
      postlogId: isRepost(story) ? story.postlogId : undefined,
      imageUrl: story.imageUrl ?? picture?.resource ?? null,
      videoPreview: story.videoPreview ?? video?.videoPreview ?? null,
      workflowId: items.get(story.id)?.workflowId ?? story.workflowId,
      messages: messages.get(story.id) ?? [],
      media: own,
      topics: topics.get(story.id) ?? [],
      tags: tags.get(story.id) ?? [],
    }
  })
}

export type StoryDetails = Awaited<ReturnType<typeof withDetails>>[number]

export async function detailsOf(context: Context, story: StoryRow): Promise<StoryDetails> {
  const [details] = await withDetails(context, [story])
  return details as StoryDetails
}

/** Columns that stories are counted by. */
interface Kinds {
  createdBy?: string[] | undefined
  isFeatured?: boolean | undefined
  isRepost?: boolean | undefined
}

interface StorySearch extends Kinds {
  boardId?: string | undefined
  status?: 'draft' | 'scheduled' | 'published' | 'expired' | undefined
  approveStatus?: 'pending' | 'rejected' | 'approved' | undefined
  topicIds?: string[] | undefined
  tagIds?: string[] | undefined
  q?: string | undefined
  page: Page
}

const nothing = { items: [], total: 0 }

export async function search(context: Context, { boardId = '', status, approveStatus, page, ...rest }: StorySearch) {
  const { createdBy, topicIds, tagIds, q = '', ...kinds } = rest
  const boardIds = await boardsFor(context, boardId)
  await requireUsers(context, createdBy ?? [])
  await requireTopics(context, topicIds ?? [])
  const phases = [status, approveStatus === 'approved' ? undefined : approveStatus].filter((one) => one !== undefined)
  // A story is in one phase only.
  if (boardIds.length === 0 || phases.length > 1) return nothing
  const query: StoryQuery = {
    boardIds,
    createdBy,
    ...kinds,
    phase: phases[0],
    isApproved: approveStatus === 'approved',
  }
  const isEmpty = (list: readonly string[] | undefined) => !list || list.length === 0
  const isCounted = q === '' && isEmpty(topicIds) && isEmpty(tagIds)
  const narrow = (rows: Stories) => matchesText(context, ofKind(rows, query), { topicIds, tagIds, q })
  const { phase } = query
  const total = () => (isCounted ? totalOf(context, query) : countOf(inPhase(context, phase, narrow)))
  const found = await paginate(inPhase(context, phase, narrow, page), page, total)
  const sizes = await sizesOf(
    context,
    found.items.map(({ id }) => id),
  )
  const weight = { weightOf: ({ id }: StoryRow) => sizes.get(id) ?? 0, most: 2 ** 20 }
  return { items: await listedByWeight(found.items, weight, (some) => withDetails(context, some)), total: found.total }
}

type Stories = SelectQueryBuilder<DB, 'stories', StoryRow>
type Narrow = (rows: Stories) => Stories

interface StoryQuery extends Kinds {
  boardIds: string[]
  phase?: StoryRow['phase'] | undefined
  isApproved: boolean
}

const all = ({ db, accountId }: Context): Stories =>
  db.selectFrom('stories').selectAll().where('stories.accountId', '=', accountId)

/** Conditions of partial indexes are literal, so that generic plans can use them. */
const ofKind = (rows: Stories, { boardIds, createdBy = [], isFeatured, isRepost, isApproved }: StoryQuery): Stories =>
  rows
    .$if(boardIds.length === 1, (some) => some.where('boardId', '=', boardIds[0] as string))
    .$if(boardIds.length > 1, (some) => some.where(sql<SqlBool>`board_id = any (${boardIds})`))
    .$if(createdBy.length === 1, (some) => some.where('createdBy', '=', createdBy[0] as string))
    .$if(createdBy.length > 1, (some) => some.where(sql<SqlBool>`created_by = any (${createdBy})`))
    .$if(isFeatured !== undefined, (some) =>
      some.where(isFeatured ? sql<SqlBool>`is_featured` : sql<SqlBool>`not is_featured`),
    )
    .$if(isRepost === true, (some) => some.where('type', '=', sql.lit('post-attachment' as const)))
    .$if(isRepost === false, (some) => some.where('type', '<>', sql.lit('post-attachment' as const)))
    .$if(isApproved, (some) => some.where(sql<SqlBool>`is_approved`))

interface TextSearch {
  topicIds?: string[] | undefined
  tagIds?: string[] | undefined
  q: string
}

const matchesText = ({ accountId }: Context, rows: Stories, { topicIds = [], tagIds = [], q }: TextSearch): Stories =>
  rows
    .$if(topicIds.length > 0, (some) =>
      some.where(sql<SqlBool>`stories.id in (
        select t.story_id from story_topics t where t.account_id = ${accountId} and t.topic_id = any (${topicIds}))`),
    )
    .$if(tagIds.length > 0, (some) =>
      some.where(sql<SqlBool>`stories.id in (
        select t.entity_id from entity_tags t where t.account_id = ${accountId} and t.tag_id = any (${tagIds}))`),
    )
    .$if(q !== '', (some) =>
      some.where((story) =>
        story.or([story('title', 'ilike', contains(q)), story('description', 'ilike', contains(q))]),
      ),
    )

/**
 * Stories in a phase, plus the few that have reached it since the last job run. For a page, both are limited to its size: each is
 * read from its index in order.
 */
function inPhase(context: Context, phase: StoryQuery['phase'], narrow: Narrow, page?: Page): Stories {
  const { now } = context
  if (!phase) return narrow(all(context))
  const current = narrow(all(context)).where('phase', '=', phase)
  if (!isTimed(phase)) return current
  const staying = phase === 'expired' ? current : current.where('phaseEnds', '>', now)
  // No story becomes scheduled by itself.
  if (phase === 'scheduled') return staying
  const due = narrow(all(context)).where('phaseEnds', '<=', now).where(isNow(phase, now))
  const [some, others] = [staying, due].map((rows) => partOf(context, rows, page)) as [Stories, Stories]
  return context.db.selectFrom(some.unionAll(others).as('stories')).selectAll() as unknown as Stories
}

function partOf({ db }: Context, rows: Stories, page?: Page): Stories {
  if (!page) return rows
  const { order, offset, limit = 0 } = page
  const direction = order.ascending ? 'asc' : 'desc'
  const first = rows
    .orderBy(sql.ref(order.column), direction)
    .orderBy('id', direction)
    .limit(offset + limit)
  return db.selectFrom(first.as('part')).selectAll() as unknown as Stories
}

async function countOf(rows: Stories): Promise<number> {
  const { total } = await rows.clearSelect().select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  return total
}

type Timed = 'scheduled' | 'published' | 'expired'

const isTimed = (phase: StoryQuery['phase']): phase is Timed =>
  phase === 'scheduled' || phase === 'published' || phase === 'expired'

/** Condition that a due story is in a phase by now. */
const isNow = (phase: Timed, now: Date) => {
  if (phase === 'expired') return sql<SqlBool>`expiration_date <= ${now}`
  if (phase === 'scheduled') return sql<SqlBool>`publish_date > ${now}`
  return sql<SqlBool>`(publish_date <= ${now} and expiration_date > ${now})`
}

/** From the counters, plus stories that have changed their phase since. */
async function totalOf(context: Context, query: StoryQuery): Promise<number> {
  const { db, accountId, now } = context
  const { boardIds, createdBy = [], phase, isFeatured, isRepost, isApproved } = query
  const { stories } = await db
    .selectFrom('storyCounts')
    .select(sql<number>`coalesce(sum(stories), 0)::integer`.as('stories'))
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`board_id = any (${boardIds})`)
    .$if(createdBy.length > 0, (some) => some.where(sql<SqlBool>`created_by = any (${createdBy})`))
    .$if(phase !== undefined, (some) => some.where('phase', '=', phase as string))
    .$if(isFeatured !== undefined, (some) => some.where('isFeatured', '=', isFeatured as boolean))
    .$if(isRepost !== undefined, (some) => some.where('isRepost', '=', isRepost as boolean))
    .$if(isApproved, (some) => some.where('isApproved', '=', true))
    .executeTakeFirstOrThrow()
  if (!isTimed(phase)) return stories
  const { turned: due } = await ofKind(all(context), query)
    .where('phaseEnds', '<=', now)
    .clearSelect()
    .select(
      sql<number>`(count(*) filter (where ${isNow(phase, now)}) - count(*) filter (where phase = ${phase}))::integer`.as(
        'turned',
      ),
    )
    .executeTakeFirstOrThrow()
  return stories + due
}

/** Boards to list: active ones visible to the caller, or the one given by a parameter if active. */
async function boardsFor(context: Context, boardId: string): Promise<string[]> {
  const boards = await visibleBoards(context)
    .select(['id', 'status'])
    .$if(boardId !== '', (some) => some.where('id', '=', boardId))
    .execute()
  if (boardId !== '' && boards.length === 0) throw invalid(`boardId names no board: "${boardId.slice(0, 40)}".`)
  return boards.filter(({ status }) => status === 'active').map(({ id }) => id)
}

async function requireUsers({ db, accountId }: Context, ids: readonly string[]) {
  if (ids.length === 0) return
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`id = any (${ids})`)
    .execute()
  refuseAbsent('createdBy', 'user', ids, found)
}

async function requireTopics(context: Context, ids: readonly string[]) {
  if (ids.length > 0) refuseAbsent('topicIds', 'topic', ids, await visibleTopics(context, ids))
}

function refuseAbsent(name: string, noun: string, ids: readonly string[], found: readonly { id: string }[]) {
  const absent = ids.find((id) => !found.some((one) => one.id === id))
  if (absent !== undefined) throw invalid(`${name} names no ${noun}: "${absent.slice(0, 40)}".`)
}

export const get = async (context: Context, { id }: { id: string }) =>
  detailsOf(context, await requireStory(context, id))
