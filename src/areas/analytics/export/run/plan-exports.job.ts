import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockFreeRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import type { Log } from '#kernel/log.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import type { ExportRow } from '../export-row.ts'
import { nextRun } from '../schedule.ts'
import { planRun } from './run.ts'

const day = 24 * 60 * 60 * 1000

/** Finds due exports and schedules their next run in the same transaction, so that none runs twice. Missed runs are combined into one. */
export const planExportsJob = job<Record<string, never>>('analytics.plan-exports', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, (inside) => planDue(inside, context.log))),
})

async function planDue(context: Context, log: Log) {
  const { db, accountId, now } = context
  const { rows } = await sql<ExportRow>`
    select * from exports where account_id = ${accountId} and next_run <= ${now} order by id
    ${lockFreeRows('exports', 'no key update')}`.execute(db)
  for (const row of rows) {
    const next = nextOf(row, now, log)
    await db
      .updateTable('exports')
      .set({ nextRun: next ?? new Date(now.getTime() + day) })
      .where('accountId', '=', accountId)
      .where('id', '=', row.id)
      .execute()
    if (next) await planRun(context, row)
  }
}

/** Undefined for an unknown time zone: retried tomorrow, without blocking other exports. */
function nextOf(row: ExportRow, now: Date, log: Log): Date | undefined {
  try {
    return nextRun(row, now)
  } catch (error) {
    skipRow(log, { kind: 'export', id: row.id }, error)
    return undefined
  }
}
