import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'

/** The conversions of the clicks that were written, and how many each tag has. */
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
}
