import { defineArea } from '#areas/area.ts'
import { forgetOldChangesJob } from '#kernel/changes/forget-old-changes.job.ts'
import { hour, minute } from '#kernel/clock.ts'
import { answersPersonalData } from '#kernel/http/operation/answers.personal-data.ts'
import { forgetOldKeysJob } from '#kernel/http/operation/forget-old-keys.job.ts'
import { storageKeyOf as answerPlace } from '#kernel/http/operation/idempotency.ts'
import { kernelIds } from '#kernel/ids.ts'
import { jobsPersonalData } from '#kernel/jobs/jobs.personal-data.ts'
import { mailJob } from '#kernel/mail/send-mail.job.ts'
import { encryptedColumn } from '#kernel/secrets/reencrypt.ts'

/** Encryption scope of the demo's API key. */
export const demoKeyScope = 'installation.demo_api_key'

/** Jobs, locks and data of the kernel and of the installation itself, declared like those of an area. */
export const kernel = defineArea({
  name: 'kernel',
  ids: kernelIds,
  locks: { secretKeys: null, feedHeads: 'secretKeys' },
  jobs: ({ mailer }) => [forgetOldKeysJob, forgetOldChangesJob, mailJob(mailer)],
  recurringJobs: [
    { job: forgetOldKeysJob, every: hour },
    { job: forgetOldChangesJob, every: 10 * minute },
  ],
  personalData: [jobsPersonalData, answersPersonalData],
  encryptedColumns: [
    encryptedColumn('installation', 'demoApiKey', ['singleton'], () => demoKeyScope),
    encryptedColumn('idempotencyKeys', 'answer', ['accountId', 'userId', 'key'], answerPlace),
  ],
})
