import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { idAt } from '#kernel/ids.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { linkIds } from '../declarations.ts'

const kept = 90 * 24 * 60 * 60 * 1000
const atOnce = 5_000

/** Deletes uncounted visits after 90 days. Counted clicks stay. */
export const forgetOldClicksJob = job<Record<string, never>>('links.forget-old-clicks', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      // In small transactions with a cursor: ids are chronological.
      let reached: string | null = ''
      while (reached !== null && !context.signal.aborted) {
        const from: string = reached
        reached = await context.transaction(id, (inside) => forgetClicks(inside, from))
      }
    }),
})

/** Deletes a batch from an id on, and returns the cursor; null when done. */
async function forgetClicks({ db, accountId, now }: Context, from: string): Promise<string | null> {
  const before = new Date(now.getTime() - kept)
  const { rows } = await sql<{ last: string | null; count: number }>`
    with seen as materialized (
      select id, class from clicks where account_id = ${accountId} and id > ${from} and id < ${idAt(linkIds.click, before)} order by id limit ${atOnce}),
    gone as (
      delete from clicks where account_id = ${accountId} and id in (select id from seen where class <> 'human') and created < ${before})
    select max(id) as last, count(*)::int as count from seen`.execute(db)
  const [{ last, count } = { last: null, count: 0 }] = rows
  return count === atOnce ? last : null
}
