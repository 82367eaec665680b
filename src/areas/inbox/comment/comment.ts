import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { visiblePosts } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'

/** The contract has no pagination here. */
export const most = 1000

interface Wish {
  postlogId?: string | undefined
  network?: readonly string[] | undefined
  _count?: number | undefined
}

interface Row {
  profileName: string
  date: Date
  commentText: string
  commentId: string
  activityId: string
  network: string
  /** Empty if it isn't under a post of the account. */
  postlogId: string
}

/** Public comments, replies and mentions of others, newest first. */
export async function list(context: Context, { postlogId = '', network = [], _count }: Wish) {
  const { db, accountId } = context
  const limit = _count ?? most
  if (postlogId !== '' && !(await isSeen(context, postlogId))) return { data: [] }
  const itemsWanted: RawBuilder<SqlBool>[] = [sql`i.account_id = ${accountId}`]
  if (postlogId !== '') itemsWanted.push(sql`i.postlog_id = ${postlogId}`)
  if (network.length > 0) itemsWanted.push(sql`i.network = any (${network})`)
  const [ofItems, ofEntries] = [sql.join(itemsWanted, sql` and `), isComment(accountId)]
  const shown = sql`coalesce(nullif(e.person_name, ''), e.person_username) as profile_name, e.created as date, e.content as comment_text,
    e.remote_id as comment_id, i.post_remote_id as activity_id, i.network, coalesce(i.postlog_id, '') as postlog_id`
  // For one post by its items, otherwise newest first.
  const found =
    postlogId === ''
      ? sql<Row>`select ${shown} from inbox_entries e join inbox_items i on i.account_id = ${accountId} and i.id = e.item_id and ${ofItems}
          where ${ofEntries} order by e.created desc, e.id desc limit ${limit}`
      : sql<Row>`select ${shown} from inbox_items i join inbox_entries e on e.account_id = ${accountId} and e.item_id = i.id and ${ofEntries}
          where ${ofItems} order by e.created desc, e.id desc limit ${limit}`
  const { rows } = await found.execute(db)
  return { data: rows }
}

/** Posts in campaigns the caller can't see aren't found by their id. */
async function isSeen(context: Context, id: string): Promise<boolean> {
  const { db, accountId } = context
  const postlog = await db
    .selectFrom('postlogs')
    .select('postId')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    postlog !== undefined &&
    (await visiblePosts(context).where('id', '=', postlog.postId).executeTakeFirst()) !== undefined
  )
}

/** Must match the expression of the index. */
const isComment = (accountId: string) =>
  sql`e.account_id = ${accountId} and e.type in ('comment', 'reply') and not e.is_own and e.removed is null`
