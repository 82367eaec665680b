import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { NetworkError } from '#networks/fault.ts'
import { warnOfEnds } from './ending-profiles.ts'
import { type ProfilePlace, type ProfileWorld, readProfile } from './profile-row.ts'
import { renewToken } from './renewal.ts'

export const renewTokens = { name: 'renew-tokens', queue: 'housekeeping' } as const

/** Renews tokens long before their end, whether they are used or not, and warns of those that end without a person. */
export const renewTokensJob = (world: ProfileWorld): Job<Record<string, never>> =>
  job(renewTokens.name, {
    ...renewTokens,
    timeout: 600_000,
    async run({ shared, as, signal }) {
      const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
      for (const { id: accountId } of rows) {
        for (const { id } of await as(accountId, dueProfiles)) {
          if (signal.aborted) return
          if (!(await renewEarly(world, { accountId, id }))) await as(accountId, (context) => leave(context, id))
        }
        await as(accountId, warnOfEnds)
      }
    },
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

/** Whether it makes sense to try again in an hour. */
async function renewEarly(world: ProfileWorld, place: ProfilePlace): Promise<boolean> {
  try {
    await renewToken(world, place, await readProfile(world, place))
    return true
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return error.fault.kind !== 'token' && error.fault.kind !== 'permanent'
  }
}

/** A token that cannot be renewed is still good until its end. */
const leave = ({ db, accountId }: Context, id: string) =>
  db.updateTable('credentials').set({ renewOn: null }).where('accountId', '=', accountId).where('id', '=', id).execute()
