import { sql } from 'kysely'
import type { Recount } from '#areas/figures/figure.ts'

/** Must match `shareFact`. */
export const shareRecount: Recount = {
  names: ['shares'],
  facts: (accountId, from, to) => sql`
    select 'shares' as name, s.published_date as at, o.kind, o.id, 1 as amount from shares s cross join lateral (values
      ('account', ${accountId}), ('campaign', coalesce(nullif(s.campaign_id, ''), '-')), ('network', s.network), ('profile', s.credential_id),
      ('author', s.user_id), ('cell', coalesce(nullif(s.campaign_id, ''), '-') || ' ' || s.network || ' ' || s.user_id || ' ' || s.credential_id),
      ('message', s.message_id), ('story', s.story_id), ('board', s.board_id), ('advocate', s.board_id || ' ' || s.user_id)) o (kind, id)
    where s.account_id = ${accountId} and s.status = 'complete' and s.published_date >= ${from} and s.published_date < ${to}`,
  first: (accountId) =>
    sql`select min(published_date) from shares where account_id = ${accountId} and status = 'complete'`,
}
