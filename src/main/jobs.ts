import { forgetOldKeysJob } from '#kernel/http/forget-old-keys.job.ts'
import type { Job } from '#kernel/jobs/job.ts'
import type { Recurring } from '#kernel/jobs/schedule.ts'

const hour = 60 * 60 * 1000

/** Every job the service knows. */
export const jobs: readonly Job<never>[] = [forgetOldKeysJob]

/** Every job that comes again and again. */
export const recurring: readonly Recurring[] = [{ job: forgetOldKeysJob, every: hour }]
