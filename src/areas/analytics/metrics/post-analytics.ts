import { sql } from 'kysely'
import { postStats, requirePost } from '#areas/publishing/post/post.ts'
import type { Context } from '#kernel/context.ts'

/** How a post does, with the counters that only some networks have. */
export async function analyticsOf(context: Context, { id }: { id: string }) {
  const post = await requirePost(context, id)
  return { stats: { ...postStats(post), engagementsNetworkSpecific: await specificOf(context, id) } }
}

/** Of all profiles together. */
async function specificOf({ db, accountId }: Context, postId: string) {
  const { rows } = await sql<{ name: string; value: number }>`
    select o.key as name, sum(o.value::bigint)::bigint as value from post_metrics m cross join lateral jsonb_each_text(m.others) o
    where m.account_id = ${accountId} and m.post_id = ${postId} group by o.key order by o.key`.execute(db)
  return Object.fromEntries(rows.map(({ name, value }) => [wireNames[name] ?? name, value]))
}

/** Clicks are those that the network counted, on whatever there is to click at. */
const wireNames: { readonly [name: string]: string } = {
  views: 'Views',
  reach: 'Reach',
  clicks: 'Clicks',
  saves: 'Saves',
}
