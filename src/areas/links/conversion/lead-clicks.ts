import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { ClickRow } from '../click/click-row.ts'

/** Clicks and conversions of people who became known. */

/** So many clicks of a visitor are told of, the last ones. */
const mostClicks = 100

/** The clicks of whoever made this one, as far as they are nobody's yet: they are the lead's from now on. Gives them, oldest first. */
export async function claimClicks({ db, accountId }: Context, clickId: string, leadId: string): Promise<ClickRow[]> {
  const { rows } = await sql<ClickRow>`
    with visitor as materialized (
      select visitor_id from clicks where account_id = ${accountId} and id = ${clickId} and visitor_id <> ''),
    wanted as materialized (
      select id from clicks where account_id = ${accountId} and class = 'human' and visitor_id in (select visitor_id from visitor)
        and lead_id in ('', ${leadId})
      order by created desc, id desc limit ${mostClicks})
    update clicks set lead_id = ${leadId} where account_id = ${accountId} and (id = ${clickId} or id in (select id from wanted))
    returning *`.execute(db)
  return rows.sort((one, other) => one.created.getTime() - other.created.getTime() || (one.id < other.id ? -1 : 1))
}

/** What was one lead's is another's: of the same person, or nobody's where `to` is empty. */
export async function moveLead({ db, accountId }: Context, from: string, to: string) {
  // Spelled out, as the conditions of the indexes are.
  await db
    .updateTable('clicks')
    .set({ leadId: to })
    .where('accountId', '=', accountId)
    .where('leadId', '=', from)
    .where('leadId', '<>', sql.lit(''))
    .where('class', '=', sql.lit('human'))
    .execute()
  await db
    .updateTable('conversions')
    .set({ leadId: to })
    .where('accountId', '=', accountId)
    .where('leadId', '=', from)
    .where('leadId', '<>', sql.lit(''))
    .execute()
}
