import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { byAccount, type LastStep, lastly } from '#kernel/database/lastly.ts'
import { hintPosts } from './post-hints.ts'
import type { PostRow } from './post-row.ts'

/** What a post is counted by, and told of. */
type Counted = Pick<PostRow, 'id' | 'campaignId' | 'createdBy' | 'source' | 'status'>

/**
 * To be called by whoever has changed posts: `before` is counted no longer, `after` is, so that the totals of lists and campaigns stay true;
 * and whoever looks at any of them hears of it.
 */
export async function postsChanged(context: Context, before: readonly Counted[], after: readonly Counted[]) {
  hintPosts(context, before)
  hintPosts(context, after)
  const { db, accountId } = context
  await lastly(db, counting, [
    ...before.map((post) => ({ accountId, post, by: -1 })),
    ...after.map((post) => ({ accountId, post, by: 1 })),
  ])
}

interface Counting {
  accountId: string
  post: Counted
  by: number
}

const counting: LastStep<Counting> = {
  writes: 'postCounts',
  async write(db, items) {
    for (const [accountId, own] of byAccount(items)) await countPosts(db, accountId, changesOf(own))
  },
}

async function countPosts(db: Db, accountId: string, changes: readonly Change[]) {
  if (changes.length === 0) return
  const column = <Value>(read: (change: Change) => Value) => changes.map(read)
  const counting = sql`
    insert into post_counts (account_id, campaign_id, created_by, source, status, posts)
    select ${accountId}, * from unnest(${column((one) => one.campaignId)}::text[], ${column((one) => one.createdBy)}::text[],
      ${column((one) => one.source)}::text[], ${column((one) => one.status)}::text[], ${column((one) => one.posts)}::int[])
    on conflict (account_id, campaign_id, created_by, source, status)
    do update set posts = post_counts.posts + excluded.posts
    returning 1`
  await later(db, counting)
}

interface Change extends Omit<Counted, 'id'> {
  posts: number
}

/** What remains when all of them are set off against each other, always in the same order. */
function changesOf(items: readonly Counting[]): Change[] {
  const changes = new Map<string, Change>()
  for (const { post, by } of items) {
    const { campaignId, createdBy, source, status } = post
    const key = [campaignId, createdBy, source, status].join(' ')
    const change = changes.get(key) ?? { campaignId, createdBy, source, status, posts: 0 }
    changes.set(key, { ...change, posts: change.posts + by })
  }
  return [...changes]
    .filter(([, { posts }]) => posts !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, change]) => change)
}
