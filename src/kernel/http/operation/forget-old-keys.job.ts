import { forEachAccount, job } from '../../jobs/job.ts'
import { forgetOldKeys } from './idempotency.ts'

export const forgetOldKeysJob = job<Record<string, never>>('http.forget-old-keys', {
  queue: 'housekeeping',
  run: (context) => forEachAccount(context, (id) => context.transaction(id, forgetOldKeys)),
})
