import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { idAt } from '#kernel/ids.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import { accountIds } from '../declarations.ts'

const day = 24 * 60 * 60 * 1000
const atOnce = 5_000

export const deleteOldAuditEntries = { name: 'account.forget-old-deeds', queue: 'housekeeping' } as const

/** Deletes audit entries older than the configured retention, in small transactions. */
export const deleteOldAuditEntriesJob = (days: number): Job<Record<string, never>> =>
  job(deleteOldAuditEntries.name, {
    ...deleteOldAuditEntries,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, async (id) => {
        let gone = atOnce
        while (gone === atOnce && !context.signal.aborted)
          gone = await context.transaction(id, (inside) => forget(inside, days))
      }),
  })

/**
 * Deletes the oldest entries and returns their number. The service's database role has no delete permission on the log: a function of the
 * owner does it.
 */
async function forget({ db, accountId, now }: Context, days: number): Promise<number> {
  const before = idAt(accountIds.auditEntry, new Date(now.getTime() - days * day))
  const { rows } = await sql<{ gone: number }>`
    select chorus_forget_deeds(${accountId}, ${before}, ${atOnce}::integer) as gone`.execute(db)
  return rows[0]?.gone ?? 0
}
