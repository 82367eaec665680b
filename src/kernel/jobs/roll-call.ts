import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Log } from '../log.ts'
import { isLiving } from './lease.ts'

export interface RollCall {
  /** Calls back when a worker lives no more: what it held is to be freed. */
  onAbsence(hear: () => void): void
  stop(): void
}

const every = 500

/** Asks again and again who lives: one small table says it, so that nobody need go over all that workers may hold. */
export function startRollCall(db: Db, log: Log): RollCall {
  const hearers: (() => void)[] = []
  let present: ReadonlySet<string> = new Set()
  let stopped = false

  const call = async () => {
    const { rows } = await sql<{ id: string; isLiving: boolean }>`
      select id, ${isLiving} as is_living from job_workers`.execute(db)
    const living = new Set(rows.filter((worker) => worker.isLiving).map(({ id }) => id))
    const isAbsent = living.size < rows.length || [...present].some((id) => !living.has(id))
    if (living.size < rows.length) await sql`delete from job_workers where not (${isLiving})`.execute(db)
    present = living
    if (isAbsent && !stopped) for (const hear of hearers) hear()
  }
  const again = () => {
    if (stopped) return
    call()
      .catch((error) => log.error({ err: error }, 'asking who lives failed'))
      .finally(() => {
        if (!stopped) timer = setTimeout(again, every)
      })
  }
  let timer = setTimeout(again, every)
  return {
    onAbsence: (hear) => void hearers.push(hear),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
