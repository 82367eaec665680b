import { sql } from 'kysely'
import { job } from '../jobs/job.ts'
import { forgetOldKeys } from './idempotency.ts'

export const forgetOldKeysJob = job<Record<string, never>>('forget-old-idempotency-keys', {
  queue: 'housekeeping',
  async run({ shared, as }) {
    const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
    for (const { id } of rows) await as(id, forgetOldKeys)
  },
})
