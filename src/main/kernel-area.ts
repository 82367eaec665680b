import { defineArea } from '#areas/area.ts'
import { hour, minute } from '#kernel/clock.ts'
import { forgetOldHintsJob } from '#kernel/hints/forget-old-hints.job.ts'
import { answersPlace } from '#kernel/http/operation/answers.personal.ts'
import { forgetOldKeysJob } from '#kernel/http/operation/forget-old-keys.job.ts'
import { placeOf as answerPlace } from '#kernel/http/operation/idempotency.ts'
import { kernelIds } from '#kernel/ids.ts'
import { jobsPlace } from '#kernel/jobs/jobs.personal.ts'
import { mailJob } from '#kernel/mail/send-mail.job.ts'
import { sealedCell } from '#kernel/secrets/reencrypt.ts'

/** What the demo's API key is encrypted for. */
export const demoKeyPlace = 'installation.demo_api_key'

/** Jobs, locks and data of the kernel and of the installation itself, declared like those of an area. */
export const kernel = defineArea({
  name: 'kernel',
  ids: kernelIds,
  locks: { secretKeys: null },
  jobs: ({ mailer }) => [forgetOldKeysJob, forgetOldHintsJob, mailJob(mailer)],
  recurringJobs: [
    { job: forgetOldKeysJob, every: hour },
    { job: forgetOldHintsJob, every: 10 * minute },
  ],
  personalData: [jobsPlace, answersPlace],
  encryptedColumns: [
    sealedCell('installation', 'demoApiKey', ['singleton'], () => demoKeyPlace),
    sealedCell('idempotencyKeys', 'answer', ['accountId', 'userId', 'key'], answerPlace),
  ],
})
