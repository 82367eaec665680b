import type { Context } from '#kernel/context.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'

const day = 24 * 60 * 60 * 1000
/** After this time a draft counts as abandoned. */
const keptFor = 180 * day

/** Deletes drafts that were not changed for half a year. */
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
