import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** Every number that tells of clicks and conversions, made from the clicks that were written. */
export async function seedCounters({ db, accountId }: Context) {
  await sql`
    insert into conversions (account_id, click_id, conversion_tag_id, created, value)
    select ${accountId}, c.id, t.id, c.converted, t.value from clicks c
    join conversion_tags t on t.account_id = ${accountId} and t.id = c.conversion_tag_id
    where c.account_id = ${accountId} and c.converted is not null
    returning click_id`.execute(db)
  await sql`
    update conversion_tags t set conversions = n.all from (
      select conversion_tag_id, count(*) as all from conversions where account_id = ${accountId} group by 1) n
    where t.account_id = ${accountId} and t.id = n.conversion_tag_id`.execute(db)
  for (const [name, moment, counts] of [
    ['clicks', sql`created`, sql`true`],
    ['converts', sql`converted`, sql`converted is not null`],
  ] as const)
    await sql`
      with fact as materialized (
        select o.kind, o.id, c.${moment} as at from clicks c cross join lateral (values ('campaign', c.campaign_id), ('message', c.message_id),
          ('post', c.post_id), ('link', c.link_id), ('profile-post', case when c.post_id <> '' then c.post_id || ' ' || c.credential_id else '' end)) o (kind, id)
        where c.account_id = ${accountId} and c.class = 'human' and o.id <> '' and ${counts}),
      total as (
        insert into figures (account_id, of_kind, of_id, name, value, last)
        select ${accountId}, kind, id, ${name}, count(*), max(at) from fact group by 2, 3 returning 1)
      insert into daily_figures (account_id, of_kind, of_id, name, day, value)
      select ${accountId}, kind, id, ${name}, (at at time zone 'UTC')::date, count(*) from fact group by 2, 3, 5 returning 1`.execute(
      db,
    )
}
