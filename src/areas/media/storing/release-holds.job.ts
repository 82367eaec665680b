import { sql } from 'kysely'
import { job } from '#kernel/jobs/job.ts'
import { releaseOldHolds } from './stored-file.ts'

/** Frees what processes that were killed had announced for the store and never made an asset of. */
export const releaseHoldsJob = job<Record<string, never>>('media.release-holds', {
  queue: 'housekeeping',
  timeout: 600_000,
  async run({ shared, transaction, signal }) {
    const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
    for (const { id } of rows) {
      if (signal.aborted) return
      await transaction(id, releaseOldHolds)
    }
  },
})
