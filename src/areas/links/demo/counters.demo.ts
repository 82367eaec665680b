import { type RawBuilder, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** Every number that tells of clicks and conversions, made from the clicks that were written. */
export async function seedCounters({ db, accountId }: Context) {
  await sql`
    insert into conversions (account_id, click_id, conversion_tag_id, created, value)
    select c.account_id, c.id, t.id, c.converted, t.value from clicks c
    join conversion_tags t on t.account_id = c.account_id and t.id = c.conversion_tag_id
    where c.account_id = ${accountId} and c.converted is not null`.execute(db)
  await sql`
    update conversion_tags t set conversions = n.all from (
      select conversion_tag_id, count(*) as all from conversions where account_id = ${accountId} group by 1) n
    where t.account_id = ${accountId} and t.id = n.conversion_tag_id`.execute(db)
  await sql`
    update campaigns c set last_conversion_date = n.last from (
      select campaign_id, max(converted) as last from clicks where account_id = ${accountId} and converted is not null group by 1) n
    where c.account_id = ${accountId} and c.id = n.campaign_id`.execute(db)
  const places: [table: string, key: string, of: RawBuilder<unknown>][] = [
    ['messages', 'id', sql`message_id`],
    ['posts', 'id', sql`post_id`],
    ['postlogs', 'id', sql`postlog_id`],
    ['links', 'id', sql`link_id`],
    ['campaign_counters', 'campaign_id', sql`campaign_id`],
  ]
  for (const [table, key, of] of places)
    await sql`
      update ${sql.table(table)} t set clicks = n.clicks, converts = n.converts from (
        select ${of} as id, count(*) as clicks, count(converted) as converts from clicks
        where account_id = ${accountId} and class = 'human' group by 1) n
      where t.account_id = ${accountId} and t.${sql.ref(key)} = n.id`.execute(db)
}
