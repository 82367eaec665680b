import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { ReplyRow } from '../reply/reply-row.ts'

/**
 * Since when somebody had waited for each of these answers, whose entries say by now that they are out: since the first that strangers said
 * after our last answer, here or at the network itself, and before this one was written. Nothing where somebody had answered already.
 */
export async function waitedSince(
  { db, accountId }: Context,
  replies: readonly Pick<ReplyRow, 'id' | 'itemId' | 'created'>[],
): Promise<Map<string, Date>> {
  if (replies.length === 0) return new Map()
  const column = <Value>(read: (reply: (typeof replies)[number]) => Value) => replies.map(read)
  const ids = column(({ id }) => id)
  // Of several that are out at the same moment, those written before are answers to those written after.
  const { rows } = await sql<{ id: string; since: Date }>`
    select r.id, waiting.created as since
    from unnest(${ids}::text[], ${column(({ itemId }) => itemId)}::text[], ${column(({ created }) => created)}::timestamptz[])
      as r (id, item_id, created)
    left join lateral (
      select a.created from inbox_entries a
      where a.account_id = ${accountId} and a.item_id = r.item_id and a.is_own and a.type in ('message', 'comment', 'reply')
        and (a.reply_id = '' or a.details->>'status' = 'sent') and not (a.reply_id = any (${ids}) and a.reply_id >= r.id)
      order by a.created desc limit 1) answered on true
    join lateral (
      select e.created from inbox_entries e
      where e.account_id = ${accountId} and e.item_id = r.item_id and not e.is_own and e.type in ('message', 'comment')
        and e.removed is null and e.created <= r.created and e.created > coalesce(answered.created, '-infinity')
      order by e.created limit 1) waiting on true`.execute(db)
  return new Map(rows.map(({ id, since }) => [id, since]))
}
