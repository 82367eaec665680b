import { type RawBuilder, sql } from 'kysely'
import type { Recount } from '#areas/figures/figure.ts'

/** Must match `receivedFact` and `closedFact`; later removals don't matter. */
export const entryRecount: Recount = {
  names: ['inboxReceived', 'inboxClosed'],
  facts: (accountId, from, to) =>
    placedFacts(
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

/** Must match `repliedFacts`. */
export const replyRecount: Recount = {
  names: ['inboxReplied', 'responses', 'responseSeconds'],
  facts: (accountId, from, to) =>
    placedFacts(
      accountId,
      sql`select n.name, r.sent as at, n.amount, r.network, r.credential_id as profile, coalesce(nullif(r.created_by, ''), '-') as author
        from inbox_replies r cross join lateral (values
          ('inboxReplied', 1), ('responses', case when r.response_seconds is null then 0 else 1 end),
          ('responseSeconds', coalesce(r.response_seconds, 0))) n (name, amount)
        where r.account_id = ${accountId} and r.sent >= ${from} and r.sent < ${to}`,
    ),
  first: (accountId) => sql`select min(sent) from inbox_replies where account_id = ${accountId} and sent is not null`,
}

const placedFacts = (accountId: string, facts: RawBuilder<unknown>) => sql`
  select f.name, f.at, o.kind, o.id, f.amount from (${facts}) f cross join lateral (values
    ('account', ${accountId}), ('network', f.network), ('profile', f.profile), ('author', f.author),
    ('cell', '- ' || f.network || ' ' || f.author || ' ' || f.profile)) o (kind, id)`
