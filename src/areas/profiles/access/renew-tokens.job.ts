import type { Context } from '#kernel/context.ts'
import { forEachAccount, type Job, job } from '#kernel/jobs/job.ts'
import type { Log } from '#kernel/log.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { warnOfEnds } from './invalid-profile.ts'
import { renewToken } from './profile-access.ts'
import { type ProfileInstallation, type ProfilePlace, readProfile } from './profile-row.ts'

export const renewTokens = { name: 'profiles.renew-tokens', queue: 'housekeeping' } as const

/** Renews tokens long before they expire, whether they are used or not, and warns of those that only a user can renew. */
export const renewTokensJob = (installation: ProfileInstallation): Job<Record<string, never>> =>
  job(renewTokens.name, {
    ...renewTokens,
    timeout: 600_000,
    run: (context) =>
      forEachAccount(context, async (accountId) => {
        for (const { id } of await context.transaction(accountId, dueProfiles)) {
          if (context.signal.aborted) return
          if (!(await renewEarly(installation, { accountId, id }, context.log)))
            await context.transaction(accountId, (inside) => leave(inside, id))
        }
        await context.transaction(accountId, warnOfEnds)
      }),
  })

const dueProfiles = ({ db, accountId, now }: Context) =>
  db
    .selectFrom('credentials')
    .select('id')
    .where('accountId', '=', accountId)
    .where('renewOn', '<=', now)
    .where('status', '=', 'valid')
    .where('deleted', 'is', null)
    .execute()

/** Returns whether to retry in an hour. */
async function renewEarly(installation: ProfileInstallation, place: ProfilePlace, log: Log): Promise<boolean> {
  try {
    await renewToken(installation, place, await readProfile(installation, place))
    return true
  } catch (error) {
    if (!(error instanceof NetworkError)) {
      // A problem with one profile does not affect the others.
      skipRow(log, { kind: 'profile', id: place.id }, error)
      return true
    }
    return error.fault.kind !== 'token' && error.fault.kind !== 'permanent'
  }
}

/** A token that cannot be renewed stays valid until it expires. */
const leave = ({ db, accountId }: Context, id: string) =>
  db.updateTable('credentials').set({ renewOn: null }).where('accountId', '=', accountId).where('id', '=', id).execute()
