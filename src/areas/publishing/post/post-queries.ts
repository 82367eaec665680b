import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { shown as assetView } from '#areas/media/asset/asset.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { listedByWeight } from '#kernel/pages.ts'
import { isOfSeenMessage } from '../message/message.ts'
import { textDigest } from '../message/message-content.ts'
import { type CountedPost, countedPosts, type PostRow, postStats, postView, requirePost, visiblePosts } from './post.ts'
import { postlogsOf } from './postlog.ts'

interface GetOptions {
  id: string
  stats?: boolean | undefined
  postlogs?: boolean | undefined
}

export async function get(context: Context, { id, stats = false, postlogs = false }: GetOptions) {
  const row = await requirePost(context, id)
  return { post: await detailsOf(context, row, postlogs), stats: stats ? postStats(row) : undefined }
}

/** Filters with maintained totals. */
interface CountedFilters {
  campaignId?: string | undefined
  createdBy?: string | undefined
  source?: PostRow['source'] | undefined
  status?: PostRow['status'] | undefined
}

interface Search extends CountedFilters {
  messageId?: string | undefined
  /** Bounds on the column by which the list is sorted. */
  after?: Date | undefined
  before?: Date | undefined
  withPostlogs?: boolean | undefined
  page: Page
}

export async function search(
  context: Context,
  { messageId = '', after, before, withPostlogs, page, ...filters }: Search,
) {
  const dateColumn = page.order.column as 'created' | 'modified' | 'startDateTime'
  const { campaignId = '', createdBy = '', source, status } = filters
  const matching = countedPosts(context)
    .$if(messageId !== '', (rows) =>
      rows.where('messageId', '=', messageId).where(isOfSeenMessage(context, 'posts.message_id')),
    )
    .$if(campaignId !== '', (rows) => rows.where('campaignId', '=', campaignId))
    .$if(createdBy !== '', (rows) => rows.where('createdBy', '=', createdBy))
    .$if(source !== undefined, (rows) => rows.where('source', '=', source as PostRow['source']))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as PostRow['status']))
    .$if(after !== undefined, (rows) => rows.where(dateColumn, '>=', after as Date))
    .$if(before !== undefined, (rows) => rows.where(dateColumn, '<', before as Date))
  const isCounted = messageId === '' && !after && !before
  const { items, total } = await paginate(matching, page, isCounted ? () => readTotal(context, filters) : undefined)
  // A post may have been sent to a thousand profiles.
  const weight = {
    weightOf: ({ credentialIds }: CountedPost) => (withPostlogs ? credentialIds.length : 0),
    most: 1_000,
  }
  return { items: await listedByWeight(items, weight, (some) => withDetails(context, some, withPostlogs)), total }
}

/** From the maintained counters, since counting a million posts for every page is too slow. */
async function readTotal(context: Context, { campaignId = '', createdBy = '', source, status }: CountedFilters) {
  const { total } = await context.db
    .selectFrom('postCounts')
    .select(sql<number>`coalesce(sum(posts), 0)::integer`.as('total'))
    .where('accountId', '=', context.accountId)
    .where(withinTeams(context, 'post_counts.campaign_id'))
    .$if(campaignId !== '', (rows) => rows.where('campaignId', '=', campaignId))
    .$if(createdBy !== '', (rows) => rows.where('createdBy', '=', createdBy))
    .$if(source !== undefined, (rows) => rows.where('source', '=', source as string))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as string))
    .executeTakeFirstOrThrow()
  return total
}

/** Posts with first comments and, on request, postlogs; the number of queries does not depend on the number of posts. */
export async function withDetails(context: Context, posts: readonly CountedPost[], withPostlogs = false) {
  const comments = await firstCommentsOf(context, posts)
  const postlogs = withPostlogs
    ? await postlogsOf(
        context,
        posts.map(({ id }) => id),
      )
    : undefined
  return posts.map((post) => ({
    ...postView(post),
    firstComment: comments.get(post.id),
    postlogs: postlogs?.filter(({ postId }) => postId === post.id),
  }))
}

export async function detailsOf(context: Context, post: CountedPost, withPostlogs = false) {
  const [details] = await withDetails(context, [post], withPostlogs)
  return details as NonNullable<typeof details>
}

/** First comments by post. */
async function firstCommentsOf(context: Context, posts: readonly PostRow[]) {
  const rows = await readFirstComments(
    context,
    posts.map(({ id }) => id),
  )
  const images = await readImages(
    context,
    rows.flatMap(({ mediaId }) => mediaId ?? []),
  )
  const byId = new Map(posts.map((post) => [post.id, post]))
  return new Map(
    rows.map(({ postId, mediaId, ...comment }) => {
      const { network, campaignId, startDateTime: scheduledAt } = byId.get(postId) as PostRow
      const media = images.filter(({ id }) => id === mediaId)
      return [postId, { ...comment, network, campaignId, scheduledAt, media }]
    }),
  )
}

type Status = 'pending' | 'published' | 'failed'

async function readFirstComments({ db, accountId }: Context, postIds: readonly string[]) {
  if (postIds.length === 0) return []
  // A scalar subquery per comment: with "exists" the planner may read all sends of the account.
  const status = sql<Status>`(select case
    when bool_or(s.state not in ('sent', 'failed', 'unconfirmed')) then 'pending'
    when bool_or(s.state = 'sent') then 'published' else 'failed' end
    from sends s where s.account_id = ${accountId} and s.content_id = first_comments.post_id and s.kind = 'first-comment')`
  return db
    .selectFrom('firstComments')
    .select(['id', 'postId', 'text', 'mediaId', status.as('status')])
    .where('accountId', '=', accountId)
    .where('postId', 'in', postIds)
    .execute()
}

async function readImages(context: Context, ids: readonly string[]) {
  if (ids.length === 0) return []
  const rows = await context.db
    .selectFrom('media')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'in', ids)
    .execute()
  return rows.map((asset) => assetView(context, asset))
}

/** Actions by users, then by the service. */
export const historyKinds = [
  'made',
  'changed',
  'words changed',
  'moved',
  'to approval',
  'out of approval',
  'approved',
  'rejected',
  'repaired',
  'sent',
  'failed',
  'unconfirmed',
] as const

interface HistoryEntry {
  at: Date
  kind: (typeof historyKinds)[number]
  userId: string
  userName: string
  credentialId: string
  fields: string[]
  /** The error, or the note of a decision. */
  text: string
  remoteUrl: string
}

const maxEntries = 200

/** Operations in the audit log and their meaning for a post. */
const operations = {
  'POST /post/{id}': 'changed',
  'POST /message/{id}': 'words changed',
  'POST /post/{id}/change-campaign': 'moved',
  'DELETE /workflow-item/{id}': 'out of approval',
  'POST /app/api/post/{id}/repair': 'repaired',
  'POST /app/api/postlog/{id}/repair': 'repaired',
} as const satisfies { [operation: string]: HistoryEntry['kind'] }

/** The history of a post, latest first. Its creation comes from its row; changes are known as long as the audit log keeps them. */
export async function history(context: Context, { id }: { id: string }) {
  const { created, createdBy } = await requirePost(context, id)
  const { db, accountId } = context
  const names = Object.keys(operations)
  const { rows } = await sql<HistoryEntry>`
    with contents as (
      select ${id}::text as id union all select p.message_id from posts p
      where p.account_id = ${accountId} and p.id = ${id} and ${isOfSeenMessage(context, 'p.message_id')}),
    items as (
      select i.id, i.created, i.created_by from workflow_items i
      where i.account_id = ${accountId} and i.entity_id = any (array(select c.id from contents c))),
    logs as (
      select l.* from postlogs l where l.account_id = ${accountId} and l.post_id = ${id}),
    entries as (
      select d.created as at, k.kind, d.user_id, '' as credential_id, d.fields, '' as text, '' as remote_url
      from audit_log d join unnest(${names}::text[], ${Object.values(operations)}::text[]) as k (operation, kind) on k.operation = d.operation
      where d.account_id = ${accountId} and d.entity_id = any (array(select c.id from contents c)
        || array(select i.id from items i) || array(select l.id from logs l))
      union all select i.created, 'to approval', i.created_by, '', '{}', '', '' from items i
      union all select w.created, case when w.is_approve then 'approved' else 'rejected' end, w.user_id, '', '{}', w.note, ''
      from workflow_decisions w where w.account_id = ${accountId} and w.item_id in (select i.id from items i)
      union all select coalesce(l.published_date, l.modified), case when l.status = 'success' then 'sent' when l.is_unconfirmed then 'unconfirmed' else 'failed' end,
        '', l.credential_id, '{}', l.error, l.remote_url from logs l
      union all select ${created}::timestamptz, 'made', ${createdBy}, '', '{}', '', '')
    select e.*, coalesce((select u.name from users u where u.account_id = ${accountId} and u.id = e.user_id), '') as user_name
    from entries e order by e.at desc, e.kind = 'made' limit ${sql.lit(maxEntries + 1)}`.execute(db)
  return { items: rows.slice(0, maxEntries), isAll: rows.length <= maxEntries }
}

const maxSimilar = 20

interface SimilarOptions {
  message: string
  credentialIds: readonly string[]
  startDateTime?: Date | undefined
  /** The post being edited, which is excluded. */
  postId?: string | undefined
}

/** Posts with the same text on any of these profiles within a week: networks penalise duplicates. */
export async function findSimilar(
  context: Context,
  { message, credentialIds, startDateTime, postId = '' }: SimilarOptions,
) {
  const digest = textDigest(message)
  if (digest === '' || credentialIds.length === 0) return { items: [], total: 0 }
  const { accountId, now } = context
  const at = (startDateTime ?? now).getTime()
  // Starts from the index on the text: few messages match, however many posts there are.
  const hasSameText = sql<boolean>`message_id in (
    select m.id from messages m where m.account_id = ${accountId} and m.words = ${digest} and m.words <> ''
      and ${withinTeams(context, 'm.campaign_id')})`
  const found = await visiblePosts(context)
    .where(hasSameText)
    .where(sql<boolean>`credential_ids && ${credentialIds}::text[]`)
    .where('startDateTime', '>=', new Date(at - 7 * day))
    .where('startDateTime', '<=', new Date(at + 7 * day))
    .where('id', '<>', postId)
    .where('status', '<>', 'error')
    .orderBy('startDateTime')
    .orderBy('id')
    .limit(maxSimilar)
    .execute()
  const items = found.map(({ id, campaignId, network, startDateTime: moment, status, credentialIds: ids }) => {
    return {
      id,
      campaignId,
      network,
      at: moment,
      status,
      credentialIds: ids.filter((one) => credentialIds.includes(one)),
    }
  })
  return { items, total: items.length }
}
