import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'
import { isId } from '#kernel/ids.ts'
import { publishingIds } from '../declarations.ts'

interface Use {
  id: string
  status: 'pending' | 'inqueue' | 'draft' | 'inqueue-draft' | 'complete' | 'incomplete' | 'error'
  startDateTime: Date
  campaignId: string
  network: string
  text: string
  isSeen: boolean
}

const mostShown = 50
const longestText = 90

/** The uses of an asset that prevent its deletion: unsent posts, the next one first, and a description of other uses. */
export async function usesOf(context: Context, { id }: { id: string }) {
  const { db, accountId } = context
  const asset = await db
    .selectFrom('media')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!asset) throw missing('Media')
  const holds = await db
    .selectFrom('mediaHolds')
    .select(['holder', 'what'])
    .where('accountId', '=', accountId)
    .where('mediaId', '=', id)
    .execute()
  const isPost = ({ holder }: { holder: string }) => isId(publishingIds.post, holder)
  const posts = await postsOf(
    context,
    holds.filter(isPost).map(({ holder }) => holder),
  )
  const seen = posts.filter(({ isSeen }) => isSeen)
  const messages = await messagesWith(context, id)
  return {
    posts: seen.slice(0, mostShown),
    totalPosts: seen.length,
    // Posts of campaigns that the caller may not see.
    hiddenPosts: posts.length - seen.length,
    messages,
    others: counted(holds.filter((hold) => !isPost(hold)).map(({ what }) => what)),
    mayBeDeleted: holds.length === 0,
  }
}

async function postsOf(context: Context, ids: readonly string[]): Promise<Use[]> {
  if (ids.length === 0) return []
  const { db, accountId } = context
  const { rows } = await sql<Use>`
    select p.id, p.status, p.start_date_time, p.campaign_id, p.network, left(m.message, ${longestText}::integer) as text,
      ${withinTeams(context, 'p.campaign_id')} as is_seen
    from posts p join messages m on m.account_id = ${accountId} and m.id = p.message_id
    where p.account_id = ${accountId} and p.id = any (${ids}) order by p.start_date_time, p.id`.execute(db)
  return rows
}

/** The number of messages with the asset that the caller may see. */
async function messagesWith(context: Context, mediaId: string): Promise<number> {
  const { db, accountId } = context
  const { rows } = await sql<{ count: number }>`
    select count(distinct m.id) from message_media a join messages m on m.account_id = ${accountId} and m.id = a.message_id
    where a.account_id = ${accountId} and a.media_id = ${mediaId} and m.deleted is null
      and ${withinTeams(context, 'm.campaign_id')}`.execute(db)
  return rows[0]?.count ?? 0
}

function counted(words: readonly string[]) {
  return [...new Set(words)].map((what) => ({ what, count: words.filter((one) => one === what).length }))
}
