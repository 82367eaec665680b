import { sql } from 'kysely'
import type { Recount } from '#areas/figures/figure.ts'

/** The same increments as `postFacts`, for each post on each profile. */
export const postlogRecount: Recount = {
  names: ['postsSent', 'postsFailed'],
  facts: (accountId, from, to) => sql`
    select case when g.status = 'success' then 'postsSent' else 'postsFailed' end as name, coalesce(g.published_date, g.modified) as at, o.kind, o.id, 1 as amount
    from postlogs g
    left join posts p on p.account_id = ${accountId} and p.id = g.post_id
    cross join lateral (values
      ('account', ${accountId}), ('campaign', g.campaign_id), ('network', g.network), ('profile', g.credential_id),
      ('author', coalesce(nullif(p.created_by, ''), '-')),
      ('cell', g.campaign_id || ' ' || g.network || ' ' || coalesce(nullif(p.created_by, ''), '-') || ' ' || g.credential_id)) o (kind, id)
    where g.account_id = ${accountId} and coalesce(g.published_date, g.modified) >= ${from} and coalesce(g.published_date, g.modified) < ${to}`,
  first: (accountId) =>
    sql`select min(coalesce(published_date, modified)) from postlogs where account_id = ${accountId}`,
}
