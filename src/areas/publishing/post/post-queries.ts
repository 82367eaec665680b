import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { shown as assetView } from '#areas/media/asset/asset.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { listedByWeight } from '#kernel/pages.ts'
import { isOfSeenMessage } from '../message/message.ts'
import { postlogsOf } from '../postlog/postlog.ts'
import { type CountedPost, countedPosts, type PostRow, postStats, postView, requirePost } from './post.ts'

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
  return new Map(
    rows.map(({ postId, mediaId, ...comment }) => {
      const { network, campaignId, startDateTime: scheduledAt } = posts.find(({ id }) => id === postId) as PostRow
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
