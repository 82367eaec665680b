import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'

interface SignOfLife {
  /** Before this moment nothing goes out by itself. */
  holdBefore: Date
  /** Whether the last sign came from the future: the clock was set back since. One process alone is told so. */
  wasSetBack: boolean
}

/**
 * Says that somebody is at work, and gives the moment before which nothing goes out by itself. When nobody was for longer than
 * posts may be late, then everything missed is held, also what missed its time by little: the database may be an old copy, and
 * what it thinks of as waiting may have been sent long ago. A sign of life from the future is one of a clock that was set back since.
 */
export async function stayAlive(db: Db, now: Date, lateness: number): Promise<SignOfLife> {
  const { rows } = await sql<SignOfLife>`
    with before as (select alive from engine_state where alive > ${new Date(now.getTime() + aheadMs)} for update),
    beat as (
      insert into engine_state (alive, hold_before) values (${now}, 'epoch')
      on conflict (singleton) do update set alive = excluded.alive,
        hold_before = case when engine_state.alive < ${new Date(now.getTime() - lateness)} then excluded.alive
          else least(engine_state.hold_before, excluded.alive) end
      where engine_state.alive < ${new Date(now.getTime() - beatEvery)} or exists (select from before)
      returning hold_before)
    select hold_before, exists (select from before) as was_set_back from beat
    union all select hold_before, false from engine_state where not exists (select from beat) limit 1`.execute(db)
  return rows[0] ?? { holdBefore: new Date(0), wasSetBack: false }
}

const beatEvery = 5_000
/** Clocks of several machines never differ by as much. */
const aheadMs = 60_000
