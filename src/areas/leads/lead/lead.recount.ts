import { sql } from 'kysely'
import type { Recount } from '#areas/figures/figure.ts'

/** Must match `leadFact` and `activityFact`, including counts of deleted leads. */
export const leadRecount: Recount = {
  names: ['leads', 'leadActivities'],
  facts: (accountId, from, to) => sql`
    select f.name, f.at, o.kind, o.id, f.amount from (
      select c.name, c.at, c.amount, coalesce(nullif(c.network, ''), '-') as network, coalesce(nullif(c.campaign_id, ''), '-') as campaign from (
        select 'leads' as name, l.created as at, 1 as amount, l.network, l.campaign_id from leads l
        where l.account_id = ${accountId} and l.created >= ${from} and l.created < ${to}
        union all select 'leadActivities', a.activity_date, 1, a.network, a.campaign_id from lead_activities a
        where a.account_id = ${accountId} and a.activity_date >= ${from} and a.activity_date < ${to}
        union all select d.name, d.quarter, d.amount, d.network, d.campaign_id from deleted_lead_facts d
        where d.account_id = ${accountId} and d.quarter >= ${from} and d.quarter < ${to}) c) f
    cross join lateral (values ('account', ${accountId}), ('network', f.network), ('campaign', f.campaign),
      ('cell', f.campaign || ' ' || f.network || ' - -')) o (kind, id)`,
  first: (accountId) => sql`select least(
    (select min(created) from leads where account_id = ${accountId}),
    (select min(activity_date) from lead_activities where account_id = ${accountId}),
    (select min(quarter) from deleted_lead_facts where account_id = ${accountId}))`,
}
