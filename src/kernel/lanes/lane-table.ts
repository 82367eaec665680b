import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { isLiving } from '../jobs/lease.ts'

/**
 * A table with one row per lane, the line of one profile or one webhook. `due` says when somebody has to serve it, `worker` who
 * does, `fence` refuses latecomers, and `wakes` counts how often it got something to do.
 */
export interface LaneTable {
  name: string
  /** The column with the name of the lane. */
  key: string
}

interface Claim {
  /** A query for the keys of free lanes, which locks them and skips what others lock. */
  lanes: RawBuilder<unknown>
  /** The columns wanted of those that were taken. */
  returning: RawBuilder<unknown>
}

/** Takes lanes for a worker whose lease stands; each claim raises the fence. */
export async function claimLanes<Row>(db: Db, { name, key }: LaneTable, worker: string, claim: Claim): Promise<Row[]> {
  const { rows } = await sql<Row>`
    update ${sql.table(name)} set worker = ${worker}, fence = fence + 1
    where exists (select from job_workers where id = ${worker} and lease_until > clock_timestamp())
      and ${sql.ref(key)} in (${claim.lanes})
    returning ${claim.returning}`.execute(db)
  return rows
}

/** A lane as its holder knows it. */
export interface Held {
  lane: string
  worker: string
  fence: number
}

interface Release {
  /** As often as it had been woken when its holder last read what is due. */
  wakes: number
  /** The columns it is left with, `due` first of all. */
  set: RawBuilder<unknown>
}

/** Lets go of a lane; refuses if it got something to do since `wakes` was read, or if another process has it. */
export async function releaseLane(db: Db, { name, key }: LaneTable, { lane, worker, fence }: Held, release: Release) {
  const { numAffectedRows } = await sql`
    update ${sql.table(name)} set worker = null, ${release.set}
    where ${sql.ref(key)} = ${lane} and fence = ${fence} and worker = ${worker} and wakes = ${release.wakes}`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** How often a lane was woken; nothing when another process holds it. */
export async function readWakes(db: Db, { name, key }: LaneTable, { lane, worker, fence }: Held) {
  const { rows } = await sql<{ wakes: number }>`
    select wakes from ${sql.table(name)} where ${sql.ref(key)} = ${lane} and fence = ${fence} and worker = ${worker}`.execute(
    db,
  )
  return rows[0]?.wakes
}

/** Frees the lanes of workers whose lease is over, and whatever this one holds but does not serve; without a lease it holds nothing. */
export async function freeLanes(
  db: Db,
  { name, key }: LaneTable,
  worker: string | undefined,
  served: readonly string[],
) {
  await sql`
    update ${sql.table(name)} set worker = null where worker is not null
    and (worker = ${worker ?? null}::text and ${sql.ref(key)} <> all (${served})
      or worker not in (select id from job_workers where ${isLiving}))`.execute(db)
}

/** The accounts that have something to do at some time. */
export async function accountsOfLanes(db: Db, { name }: LaneTable): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from ${sql.table(name)} where due is not null`.execute(db)
  return rows.map(({ account }) => account)
}
