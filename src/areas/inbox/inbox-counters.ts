import { type RawBuilder, type Selectable, sql } from 'kysely'
import { dimensionCounters, type Recount } from '#areas/counters/counter.ts'
import type { Increment } from '#areas/counters/increments.ts'
import type { Context } from '#kernel/context.ts'
import type { InboxReplies } from '#kernel/database/tables.ts'
import type { ItemRow } from './item/item.ts'

type ReplyRow = Selectable<InboxReplies>

/**
 * Time since when each reply was awaited: the first incoming entry after our previous reply, sent here or on the network,
 * and before this one was written. Undefined if a reply had already been sent.
 */
export async function waitedSince(
  { db, accountId }: Context,
  replies: readonly Pick<ReplyRow, 'id' | 'itemId' | 'created'>[],
): Promise<Map<string, Date>> {
  if (replies.length === 0) return new Map()
  const column = <Value>(read: (reply: (typeof replies)[number]) => Value) => replies.map(read)
  const ids = column(({ id }) => id)
  // Replies sent at the same time are ordered by when they were written.
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

type Account = Pick<Context, 'accountId'>

interface Received {
  network: string
  credentialId: string
  at: Date
}

/** An incoming entry, counted at the time it happened. Must match `entryRecount`. */
export const receivedIncrement = (
  { accountId }: Account,
  { network, credentialId: profile, at }: Received,
): Increment => ({
  name: 'inboxReceived',
  at,
  of: dimensionCounters(accountId, { network, profile, author: '' }),
})

export const closedIncrement = (
  { accountId, userId: author, now: at }: Pick<Context, 'accountId' | 'userId' | 'now'>,
  { network, credentialId: profile }: Pick<ItemRow, 'network' | 'credentialId'>,
): Increment => ({ name: 'inboxClosed', at, of: dimensionCounters(accountId, { network, profile, author }) })

/** A sent reply, with its response time if it is the first; must match `replyRecount`. */
export function repliedIncrements(
  { accountId }: Account,
  { network, credentialId: profile, createdBy: author }: Pick<ReplyRow, 'network' | 'credentialId' | 'createdBy'>,
  at: Date,
  responseSeconds: number | undefined,
): Increment[] {
  const of = dimensionCounters(accountId, { network, profile, author })
  const replied: Increment = { name: 'inboxReplied', at, of }
  if (responseSeconds === undefined) return [replied]
  return [replied, { name: 'responses', at, of }, { name: 'responseSeconds', at, of, amount: responseSeconds }]
}

/** Must match `receivedIncrement` and `closedIncrement`; later removals don't matter. */
export const entryRecount: Recount = {
  names: ['inboxReceived', 'inboxClosed'],
  increments: (accountId, from, to) =>
    placedIncrements(
      accountId,
      sql`select case when e.is_own then 'inboxClosed' else 'inboxReceived' end as name, e.created as at, 1 as amount,
          i.network, i.credential_id as profile, coalesce(nullif(e.created_by, ''), '-') as author
        from inbox_entries e join inbox_items i on i.account_id = ${accountId} and i.id = e.item_id
        where e.account_id = ${accountId} and (not e.is_own or (e.type = 'status' and e.details->>'to' = 'closed'))
          and e.created >= ${from} and e.created < ${to}`,
    ),
  first: (accountId) =>
    sql`select min(created) from inbox_entries where account_id = ${accountId} and (not is_own or type = 'status')`,
}

/** Must match `repliedIncrements`. */
export const replyRecount: Recount = {
  names: ['inboxReplied', 'responses', 'responseSeconds'],
  increments: (accountId, from, to) =>
    placedIncrements(
      accountId,
      sql`select n.name, r.sent as at, n.amount, r.network, r.credential_id as profile, coalesce(nullif(r.created_by, ''), '-') as author
        from inbox_replies r cross join lateral (values
          ('inboxReplied', 1), ('responses', case when r.response_seconds is null then 0 else 1 end),
          ('responseSeconds', coalesce(r.response_seconds, 0))) n (name, amount)
        where r.account_id = ${accountId} and r.sent >= ${from} and r.sent < ${to}`,
    ),
  first: (accountId) => sql`select min(sent) from inbox_replies where account_id = ${accountId} and sent is not null`,
}

const placedIncrements = (accountId: string, increments: RawBuilder<unknown>) => sql`
  select f.name, f.at, o.kind, o.id, f.amount from (${increments}) f cross join lateral (values
    ('account', ${accountId}), ('network', f.network), ('profile', f.profile), ('author', f.author),
    ('cell', '- ' || f.network || ' ' || f.author || ' ' || f.profile)) o (kind, id)`
