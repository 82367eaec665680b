import type { Context } from '#kernel/context.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'

const day = 24 * 60 * 60 * 1000
/** Nobody comes back to what they left for so long. */
const keptFor = 180 * day

/** Removes drafts that nobody has touched for half a year. */
export const forgetOldDraftsJob = job<Record<string, never>>('account.forget-old-drafts', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) => forEachAccount(context, (id) => context.transaction(id, forgetOld)),
})

const forgetOld = ({ db, accountId, now }: Context) =>
  db
    .deleteFrom('drafts')
    .where('accountId', '=', accountId)
    .where('modified', '<', new Date(now.getTime() - keptFor))
    .execute()
