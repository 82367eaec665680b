import { type RawBuilder, sql } from 'kysely'
import type { FreeWork } from '../agenda/look.ts'
import { accountsOf, inStatements, ofThese, type Reach } from '../agenda/reach.ts'
import { acrossAccounts } from '../database/across-accounts.ts'
import type { Db } from '../database/database.ts'
import { freeRows } from '../database/locks.ts'
import type { DB } from '../database/tables.ts'
import { isLiving } from '../jobs/lease.ts'

/**
 * A table with one row per lane, the line of one profile or one webhook. `due` says when somebody has to serve it, `worker` who
 * does, `fence` refuses latecomers, and `wakes` counts how often it got something to do.
 */
export interface LaneTable {
  name: keyof DB
  /** The column with the name of the lane, which an account has once. */
  key: string
  /** The lanes that nobody serves and that are due until a moment. */
  free: FreeWork
}

interface Claim {
  worker: string
  accounts: readonly string[]
  /** A query for the `account`, the `lane` and the `kind` of free lanes of these accounts, in the order in which they are to be taken. */
  picked: RawBuilder<unknown>
  /** As many as are taken at most; more may be picked, as another process may be taking the same. */
  count: number
}

interface PickedLane {
  account: string
  lane: string
  kind: string
}

interface TakenLane extends PickedLane {
  fence: number
  wakes: number
}

/** Takes lanes for a worker whose lease stands; each claim raises the fence. Lanes that others are just taking are passed over. */
export async function claimLanes(db: Db, { name, key }: LaneTable, { worker, accounts, picked, count }: Claim) {
  const [table, lane] = [sql.table(name), sql.ref(key)]
  const { rows } = await sql<TakenLane | (PickedLane & { fence: null })>`
    with picked as materialized (${picked}),
    taken as (
      update ${table} set worker = ${worker}, fence = fence + 1
      where ${ofThese(accounts)} and ${worker} in (select id from job_workers where lease_until > clock_timestamp())
        and (account, ${lane}) in (
          select own.account, own.lane from picked cross join lateral (
            select account, ${lane} as lane from ${table}
            where ${ofThese(accounts)} and account = picked.account and ${lane} = picked.lane and worker is null
            ${freeRows(name, 'update')}) own
          limit ${count})
      returning account, ${lane} as lane, fence, wakes)
    select account, lane, '' as kind, fence, wakes from taken
    union all select account, lane, kind, null, null from picked`.execute(db)
  const all = rows.filter((row): row is PickedLane & { fence: null } => row.fence === null)
  const kinds = new Map(all.map((row) => [laneName(row.account, row.lane), row.kind]))
  const taken = rows.filter((row): row is TakenLane => row.fence !== null)
  return {
    picked: all,
    taken: taken.map((row) => ({ ...row, kind: kinds.get(laneName(row.account, row.lane)) ?? '' })),
  }
}

/** A lane as its holder knows it. */
export interface Held {
  account: string
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

const isHeld = ({ key }: LaneTable, { account, lane, worker, fence }: Held) =>
  sql`account = ${account} and ${sql.ref(key)} = ${lane} and fence = ${fence} and worker = ${worker}`

/** Lets go of a lane and gives when it is due again; refuses if it got something to do since `wakes` was read, or if another process has it. */
export async function releaseLane(db: Db, table: LaneTable, held: Held, release: Release) {
  const { rows } = await sql<{ due: Date | null }>`
    update ${sql.table(table.name)} set worker = null, ${release.set}
    where ${isHeld(table, held)} and wakes = ${release.wakes} returning due`.execute(db)
  return rows[0]
}

/** How often a lane was woken; nothing when another process holds it. */
export async function readWakes(db: Db, table: LaneTable, held: Held) {
  const { rows } = await sql<{ wakes: number }>`
    select wakes from ${sql.table(table.name)} where ${isHeld(table, held)}`.execute(db)
  return rows[0]?.wakes
}

/** A lane by its account and its own name, in one text. */
export const laneName = (account: string, lane: string) => `${account} ${lane}`

/** Frees the lanes of workers whose lease is over, and whatever this one holds but does not serve; without a lease it holds nothing. */
export async function freeLanes(
  db: Db,
  { name, key }: LaneTable,
  worker: string | undefined,
  /** Lanes that it does not let go, as `laneName` has them. */
  served: readonly string[],
  reach: Reach,
) {
  const isAbandoned = sql`
    (worker = ${worker ?? null}::text and account || ' ' || ${sql.ref(key)} <> all (${served})
      or worker not in (select id from job_workers where ${isLiving}))`
  const { rows } = await sql<{ account: string; lane: string; worker: string }>`
    select account, ${sql.ref(key)} as lane, worker from ${sql.table(name)}
    where worker is not null and ${isAbandoned} ${acrossAccounts('what a worker held')}`.execute(db)
  // Only of whom they were found with: a worker that came since then has been seen by now.
  for (const some of inStatements(rows, reach))
    await sql`
      update ${sql.table(name)} set worker = null
      where account = any (${accountsOf(some)}) and ${sql.ref(key)} = any (${some.map(({ lane }) => lane)})
        and worker = any (${[...new Set(some.map((lane) => lane.worker))]}) and ${isAbandoned}`.execute(db)
}

/** The accounts that have something to do at some time. */
export async function accountsOfLanes(db: Db, { name }: LaneTable): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from ${sql.table(name)} where due is not null
    ${acrossAccounts('what was put off by a clock that was ahead')}`.execute(db)
  return rows.map(({ account }) => account)
}
