import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import type { PollInstallation } from './poll-profile.job.ts'
import { watchMissing } from './watching.ts'

export const watchProfiles = { name: 'inbox.watch-profiles', queue: 'housekeeping' } as const

const minute = 60_000

/** Finds profiles that should be watched but aren't: those connected before the inbox existed, and those with a lost job. */
export const watchProfilesJob = ({ pollEvery }: Pick<PollInstallation, 'pollEvery'>): Job<Record<string, never>> =>
  job(watchProfiles.name, {
    ...watchProfiles,
    timeout: 600_000,
    async run(context) {
      if (pollEvery === undefined) return
      const lostBefore = new Date(context.now.getTime() - 5 * minute)
      await forEachAccount(context, async (accountId) => {
        while (
          !context.signal.aborted &&
          (await context.transaction(accountId, (inside) => watchMissing(inside, lostBefore)))
        );
      })
    },
  })

const day = 24 * 60 * minute
const kept = 30 * day
const atOnce = 5_000

/** Deletes old activities that are in the inbox or were rejected. */
export const forgetArrivalsJob = job<Record<string, never>>('inbox.forget-arrivals', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (accountId) => {
      while (!context.signal.aborted && (await context.transaction(accountId, forget)) >= atOnce);
    }),
})

async function forget({ db, accountId, now }: Context): Promise<number> {
  const before = new Date(now.getTime() - kept)
  const { numAffectedRows } = await sql`
    delete from inbox_arrivals where account_id = ${accountId} and (credential_id, dedupe_key) in (
      select credential_id, dedupe_key from inbox_arrivals
      where account_id = ${accountId} and state in ('done', 'refused') and received < ${before} limit ${atOnce})`.execute(
    db,
  )
  return Number(numAffectedRows)
}
