import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { forEachAccount, job } from '../jobs/job.ts'

const retention = 60 * 60 * 1000
const atOnce = 5_000

/** Deletes old change feed entries: a browser that was offline for longer reloads everything. */
export const forgetOldChangesJob = job<Record<string, never>>('changes.forget-old-entries', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      while (!context.signal.aborted && (await context.transaction(id, forget)) >= atOnce);
    }),
})

/** Deletes from the first entry up to the first recent one, so a client that finds its last known entry finds all that followed it. */
async function forget({ db, accountId, now }: Context): Promise<number> {
  const before = new Date(now.getTime() - retention)
  // Entries that were never read have no number yet.
  await sql`delete from feed_waiting where account_id = ${accountId} and created < ${before}`.execute(db)
  const { numAffectedRows } = await sql`
    with first as (select number, created from feed_entries where account_id = ${accountId} order by number limit ${atOnce}),
      young as (select min(number) as number from first where created >= ${before})
    delete from feed_entries where account_id = ${accountId} and number in (
      select first.number from first, young where young.number is null or first.number < young.number)`.execute(db)
  return Number(numAffectedRows)
}
