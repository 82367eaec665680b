import { sql } from 'kysely'
import { acrossAccounts } from '#kernel/database/across-accounts.ts'
import { type Database, type Db, later } from '#kernel/database/database.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { wakeLanes } from './lanes.ts'
import { longestRetry } from './outcome.ts'
import type { SendingRules } from './sending.ts'

interface SignOfLife {
  /** Before this moment nothing goes out by itself. */
  holdBefore: Date
  /** Whether the last sign came from the future: the clock was set back since. One process alone is told so. */
  wasSetBack: boolean
}

/**
 * Says that somebody is at work, and gives the moment before which nothing goes out by itself. When nobody was for longer than
 * something may be late, then everything missed is held, also what missed its time by little: the database may be an old copy, and
 * what it thinks of as waiting may have been sent long ago. A sign of life from the future is one of a clock that was set back since.
 */
export async function stayAlive(db: Db, now: Date, lateness: number): Promise<SignOfLife> {
  const { rows } = await sql<SignOfLife>`
    with before as (select alive from sending_state where alive > ${new Date(now.getTime() + aheadMs)} ${heldRows('sendingState', 'update')}),
    beat as (
      insert into sending_state (alive, hold_before) values (${now}, 'epoch')
      on conflict (singleton) do update set alive = excluded.alive,
        hold_before = case when sending_state.alive < ${new Date(now.getTime() - lateness)} then excluded.alive
          else least(sending_state.hold_before, excluded.alive) end
      where sending_state.alive < ${new Date(now.getTime() - beatEvery)} or exists (select from before)
      returning hold_before)
    select hold_before, exists (select from before) as was_set_back from beat
    union all select hold_before, false from sending_state where not exists (select from beat) limit 1`.execute(db)
  return rows[0] ?? { holdBefore: new Date(0), wasSetBack: false }
}

const beatEvery = 5_000
/** Clocks of several machines never differ by as much. */
const aheadMs = 60_000

/**
 * However young a restored copy is, what waits in it may have been sent since: whoever works with it first holds that for a person.
 * A backup may be of a version that had another name for the table.
 */
export const restoreMarks = ['sending_state', 'engine_state'].map((table) => ({
  table,
  statement: `insert into public.${table} (alive, hold_before) values ('epoch', 'epoch')
    on conflict (singleton) do update set alive = excluded.alive`,
}))

const minute = 60_000

/**
 * After the clock was set back: what was put off while it was ahead is due at once, and not when the clock is there again. What
 * was never tried is due when it was planned to be. An account where that fails holds up no other.
 */
export async function bringForward(
  database: Database,
  { lateness, searches }: SendingRules,
  now: Date,
  failed: (account: string, error: unknown) => void,
) {
  const { shared } = database
  const last = new Date(now.getTime() + Math.max(lateness, longestRetry, ...searches) + minute)
  // A network that told us to wait for longer says so again.
  await sql`delete from network_holds where until > ${last}`.execute(shared)
  const ofAccount = (accountId: string) =>
    database.transaction(accountId, async (db) => {
      const { rows: sends } = await sql<{ credential: string; network: string }>`
        update sends set due = ${now} where account_id = ${accountId} and due > ${last} and attempts > 0
        returning credential_id as credential, network`.execute(db)
      await later(
        db,
        sql`update profile_lanes set not_before = null where account = ${accountId} and not_before > ${last}`,
      )
      await wakeLanes(
        { db, accountId, now },
        sends.map((send) => ({ ...send, due: now })),
      )
    })
  const { rows } = await sql<{ account: string }>`
    select distinct account from profile_lanes where due is not null or not_before > ${last}
    ${acrossAccounts('what was put off by a clock that was ahead')}`.execute(shared)
  for (const { account } of rows) await ofAccount(account).catch((error) => failed(account, error))
}
