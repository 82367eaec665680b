import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'

/**
 * Says that somebody is at work, and gives the moment before which nothing goes out by itself. When nobody was for longer than
 * posts may be late, then everything missed is held, also what missed its time by little: the database may be an old copy, and
 * what it thinks of as waiting may have been sent long ago. A sign of life from the future is one of a clock that was set back since.
 */
export async function stayAlive(db: Db, now: Date, lateness: number): Promise<Date> {
  const { rows } = await sql<{ holdBefore: Date }>`
    with beat as (
      insert into engine_state (alive, hold_before) values (${now}, 'epoch')
      on conflict (singleton) do update set alive = excluded.alive,
        hold_before = case when engine_state.alive < ${new Date(now.getTime() - lateness)} then excluded.alive
          else least(engine_state.hold_before, excluded.alive) end
      where engine_state.alive < ${new Date(now.getTime() - beatEvery)} or engine_state.alive > ${new Date(now.getTime() + 60_000)}
      returning hold_before)
    select hold_before from beat union all select hold_before from engine_state where not exists (select from beat) limit 1`.execute(
    db,
  )
  return rows[0]?.holdBefore ?? new Date(0)
}

const beatEvery = 5_000
