import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { requireUnchanged } from '#kernel/unchanged.ts'
import { isOfSeenMessage } from '../message/message.ts'
import { counted, lockUnsent, requirePost } from './change/post-lock.ts'
import { deletePost } from './change/post-removal.ts'
import type { PostRow } from './post-row.ts'
import { detailsOf, withDetails } from './read/post-details.ts'
import { statsOf } from './read/post-stats.ts'

interface Wanted {
  id: string
  stats?: boolean | undefined
  postlogs?: boolean | undefined
}

export async function get(context: Context, { id, stats = false, postlogs = false }: Wanted) {
  const row = await requirePost(context, id)
  return { post: await detailsOf(context, row, postlogs), stats: stats ? statsOf(row) : undefined }
}

/** What there are counts of. */
interface Kinds {
  campaignId?: string | undefined
  createdBy?: string | undefined
  source?: PostRow['source'] | undefined
  status?: PostRow['status'] | undefined
}

interface Search extends Kinds {
  messageId?: string | undefined
  /** From this moment on, and before that one: of the field that the list is ordered by. */
  after?: Date | undefined
  before?: Date | undefined
  withPostlogs?: boolean | undefined
  page: Page
}

export async function search(
  context: Context,
  { messageId = '', after, before, withPostlogs, page, ...kinds }: Search,
) {
  const moment = page.order.column as 'created' | 'modified' | 'startDateTime'
  const { campaignId = '', createdBy = '', source, status } = kinds
  const matching = counted(context)
    .$if(messageId !== '', (rows) =>
      rows.where('messageId', '=', messageId).where(isOfSeenMessage(context, 'posts.message_id')),
    )
    .$if(campaignId !== '', (rows) => rows.where('campaignId', '=', campaignId))
    .$if(createdBy !== '', (rows) => rows.where('createdBy', '=', createdBy))
    .$if(source !== undefined, (rows) => rows.where('source', '=', source as PostRow['source']))
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as PostRow['status']))
    .$if(after !== undefined, (rows) => rows.where(moment, '>=', after as Date))
    .$if(before !== undefined, (rows) => rows.where(moment, '<', before as Date))
  const isCounted = messageId === '' && !after && !before
  const { items, total } = await paginate(matching, page, isCounted ? () => totalOf(context, kinds) : undefined)
  return { items: await withDetails(context, items, withPostlogs), total }
}

/** Out of the counts that are kept: nobody counts a million posts to show a page. */
async function totalOf(context: Context, { campaignId = '', createdBy = '', source, status }: Kinds) {
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

export async function remove(context: Context, { id }: { id: string }) {
  const post = await lockUnsent(context, id)
  requireUnchanged(context, post)
  await deletePost(context, post)
}
