import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import {
  accountFilter,
  acrossAccounts,
  type BatchLimits,
  chunkByAccount,
  distinctAccounts,
} from '../database/across-accounts.ts'
import type { Database, Db } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import { lockFreeRows } from '../database/locks.ts'
import type { DB } from '../database/tables.ts'
import type { Log } from '../log.ts'
import { skipRow } from '../skipped-rows.ts'
import { createDueAccounts, createScan, type DueAccounts, type DueQuery, parseNotification } from './due-accounts.ts'
import { type Lease, leaseIsValid, type WorkerRegistration } from './lease.ts'
import { scanLookahead, startPollLoop } from './scheduler.ts'

/**
 * Partitioned work: one row per partition, such as a profile or a webhook, which one process serves at a time and in order. `due` is when
 * it has work, `worker` is its holder, `fence` is the fencing token, and `wakes` counts how often work was added.
 */
export interface PartitionTable {
  name: keyof DB
  /** The column that identifies a partition within its account. */
  key: string
  /** Unclaimed partitions that are due. */
  dueWork: DueQuery
}

interface ClaimOptions {
  worker: string
  accounts: readonly string[]
  /** A query for `account`, `id` and `kind` of unclaimed partitions, in the order in which they are to be claimed. */
  candidates: RawBuilder<unknown>
  /** Partitions to claim at most; more may be selected, since other processes may lock some. */
  count: number
}

interface CandidatePartition {
  account: string
  id: string
  kind: string
}

interface ClaimedPartition extends CandidatePartition {
  fence: number
  wakes: number
}

/** Claims partitions for a worker with a valid lease; raises their fence. Rows locked by other processes are skipped. */
export async function claimPartitions(
  db: Db,
  { name, key }: PartitionTable,
  { worker, accounts, candidates, count }: ClaimOptions,
) {
  const [table, id] = [sql.table(name), sql.ref(key)]
  const { rows } = await sql<ClaimedPartition | (CandidatePartition & { fence: null })>`
    with candidates as materialized (${candidates}),
    claimed as (
      update ${table} set worker = ${worker}, fence = fence + 1
      where ${accountFilter(accounts)} and ${worker} in (select id from job_workers where lease_until > clock_timestamp())
        and (account, ${id}) in (
          select own.account, own.id from candidates cross join lateral (
            select account, ${id} as id from ${table}
            where ${accountFilter(accounts)} and account = candidates.account and ${id} = candidates.id and worker is null
            ${lockFreeRows(name, 'update')}) own
          limit ${count})
      returning account, ${id} as id, fence, wakes)
    select account, id, '' as kind, fence, wakes from claimed
    union all select account, id, kind, null, null from candidates`.execute(db)
  const all = rows.filter((row): row is CandidatePartition & { fence: null } => row.fence === null)
  const kinds = new Map(all.map((row) => [partitionKey(row.account, row.id), row.kind]))
  const claimed = rows.filter((row): row is ClaimedPartition => row.fence !== null)
  return {
    candidates: all,
    claimed: claimed.map((row) => ({ ...row, kind: kinds.get(partitionKey(row.account, row.id)) ?? '' })),
  }
}

/** A partition with the proof that a worker holds it. */
interface HeldPartition {
  account: string
  id: string
  worker: string
  fence: number
}

const isHeld = ({ key }: PartitionTable, { account, id, worker, fence }: HeldPartition) =>
  sql`account = ${account} and ${sql.ref(key)} = ${id} and fence = ${fence} and worker = ${worker}`

interface ReleaseOptions {
  /** The value of `wakes` when the holder last read its due work. */
  wakes: number
  /** Assignments for the released row, `due` among them. */
  set: RawBuilder<unknown>
}

/**
 * Releases a partition and returns when it is due again; undefined if work was added since `wakes` was read, or if another process holds
 * it.
 */
export async function releasePartition(db: Db, table: PartitionTable, held: HeldPartition, options: ReleaseOptions) {
  const { rows } = await sql<{ due: Date | null }>`
    update ${sql.table(table.name)} set worker = null, ${options.set}
    where ${isHeld(table, held)} and wakes = ${options.wakes} returning due`.execute(db)
  return rows[0]
}

/** Undefined when another process holds the partition. */
export async function readWakes(db: Db, table: PartitionTable, held: HeldPartition) {
  const { rows } = await sql<{ wakes: number }>`
    select wakes from ${sql.table(table.name)} where ${isHeld(table, held)}`.execute(db)
  return rows[0]?.wakes
}

/** Identifies a partition across accounts. */
export const partitionKey = (account: string, id: string) => `${account} ${id}`

/** Releases the partitions of workers without a valid lease, and those that this worker holds but does not serve. */
async function releaseAbandoned(
  db: Db,
  { name, key }: PartitionTable,
  worker: string | undefined,
  /** As `partitionKey` writes them. */
  served: readonly string[],
  limits: BatchLimits,
) {
  const isAbandoned = sql`
    (worker = ${worker ?? null}::text and account || ' ' || ${sql.ref(key)} <> all (${served})
      or worker not in (select id from job_workers where ${leaseIsValid}))`
  const { rows } = await sql<{ account: string; id: string; worker: string }>`
    select account, ${sql.ref(key)} as id, worker from ${sql.table(name)}
    where worker is not null and ${isAbandoned} ${acrossAccounts('claims of stopped workers')}`.execute(db)
  // With the workers they were read with: a partition claimed by a new worker since then is left alone.
  for (const chunk of chunkByAccount(rows, limits))
    await sql`
      update ${sql.table(name)} set worker = null
      where account = any (${distinctAccounts(chunk)}) and ${sql.ref(key)} = any (${chunk.map(({ id }) => id)})
        and worker = any (${[...new Set(chunk.map((row) => row.worker))]}) and ${isAbandoned}`.execute(db)
}

/** Accounts with partitions that are due at any time. */
export async function accountsWithPartitions(db: Db, { name }: PartitionTable): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from ${sql.table(name)} where due is not null
    ${acrossAccounts('work delayed by a clock change')}`.execute(db)
  return rows.map(({ account }) => account)
}

/** How a partition was released: when it is due again, and as which kind. */
export interface Released {
  due: Date | null
  kind?: string
}

export interface RunningPartition {
  readonly account: string
  /** Resolves when the partition was released, with undefined if it was lost to another process; rejects if it could not be served. */
  readonly done: Promise<Released | undefined>
}

interface PartitionWorkerOptions<Running extends RunningPartition> {
  database: Database
  listener: Listener
  registration: WorkerRegistration
  clock: Clock
  log: Log
  limits: BatchLimits
  table: PartitionTable
  /** Kinds of partitions with slots of their own; a single one without a name by default. */
  kinds?: readonly string[]
  /** Notifies of accounts with due partitions. */
  channel: string
  /** Milliseconds between scans over all accounts. */
  scanInterval: number
  /** Claims due partitions and starts serving them. */
  claim(worker: PartitionWorker<Running>, lease: Lease): Promise<void>
  /** Runs before every claim, even without a lease. */
  beforeClaim?(): Promise<void>
  /** Runs before every scan. */
  beforeScan?(): Promise<void>
  /** Whether the error means that another process holds the partition now. */
  isLost(error: unknown): boolean
}

interface PartitionWorker<Running extends RunningPartition> {
  /** By `partitionKey`. */
  readonly running: ReadonlyMap<string, Running>
  /** Accounts with due partitions, by kind. */
  readonly dueAccounts: ReadonlyMap<string, DueAccounts>
  readonly isStopping: () => boolean
  start(lease: Lease, id: string, partition: Running): void
  /** Claims soon. Call it whenever an account was added. */
  wake(): void
  /** Scans all accounts soon. */
  scanNow(): void
  /** Claims nothing more, waits for running partitions, and releases everything. */
  stop(): Promise<void>
}

/** Milliseconds to wait for running partitions when stopping. */
const stopTimeout = 8_000

/** Serves partitions from this process until stopped. Any number of processes may do so; each partition has at most one. */
export function startPartitionWorker<Running extends RunningPartition>(
  options: PartitionWorkerOptions<Running>,
): PartitionWorker<Running> {
  const { database, listener, registration, clock, log, limits, table, kinds = [''], scanInterval } = options
  const { shared } = database
  const running = new Map<string, Running>()
  const dueAccounts = new Map(kinds.map((kind) => [kind, createDueAccounts(limits.trackedAccounts)]))
  const failures = createFailureBackoff()
  let isStopping = false

  const start = (lease: Lease, id: string, partition: Running) => {
    const { account, done } = partition
    const key = partitionKey(account, id)
    running.set(key, partition)
    done
      .then(
        (released) => {
          failures.clear(key)
          if (released?.due) dueAccounts.get(released.kind ?? '')?.add(account, released.due)
        },
        (error) => {
          if (lease.signal.aborted || options.isLost(error)) return
          failures.add(key)
          skipRow(log, { kind: table.name, id }, error)
        },
      )
      .finally(() => {
        if (running.get(key) === partition) running.delete(key)
        loop.wake()
      })
  }

  const findDue = createScan(shared, table.dueWork, limits.trackedAccounts)
  const maintain = async () => {
    await options.beforeScan?.()
    // A partition that failed here stays claimed until its backoff is over; then it is released and served from the start.
    const served = [...running.keys(), ...failures.active()]
    await releaseAbandoned(shared, table, registration.current()?.id, served, limits)
  }
  const scan = async () => {
    await maintain().catch((error) => log.error({ err: error, table: table.name }, 'partition maintenance failed'))
    const found = await findDue(new Date(clock.now().getTime() + scanLookahead(scanInterval)))
    for (const [kind, accounts] of dueAccounts) accounts.addScanned(found.get(kind) ?? [])
  }
  const claim = async () => {
    const lease = isStopping ? undefined : registration.current()
    await options.beforeClaim?.()
    if (lease) await options.claim(worker, lease)
  }
  const loop = startPollLoop({
    clock,
    dueAccounts: [...dueAccounts.values()],
    scanInterval,
    scan,
    claim,
    onError: (error) => log.error({ err: error, table: table.name }, 'claiming partitions failed'),
  })
  const worker: PartitionWorker<Running> = {
    running,
    dueAccounts,
    isStopping: () => isStopping,
    start,
    wake: loop.wake,
    scanNow: loop.scanNow,
    async stop() {
      isStopping = true
      await loop.stop()
      const ending = [...running.values()].map(({ done }) => done.catch(() => {}))
      await Promise.race([Promise.all(ending), sleep(stopTimeout, undefined, { ref: false })])
      await releaseAbandoned(shared, table, registration.current()?.id, [], limits).catch(() => {})
    },
  }
  registration.onWorkerLost(loop.scanNow)
  listener.on(options.channel, (payload) => {
    const notification = parseNotification(payload)
    if (!notification) return loop.scanNow()
    // The sender does not always know the kind.
    const known = dueAccounts.get(notification.kind)
    for (const accounts of known ? [known] : dueAccounts.values()) accounts.add(notification.account, notification.due)
    loop.wake()
  })
  return worker
}

const minBackoff = 1_000
const maxBackoff = 60_000

/** Partitions that could not be served, with exponential backoff. */
function createFailureBackoff() {
  const failures = new Map<string, { delay: number; until: number }>()
  return {
    add(key: string) {
      const delay = Math.min(maxBackoff, 2 * (failures.get(key)?.delay ?? minBackoff / 2))
      failures.set(key, { delay, until: performance.now() + delay })
    },
    clear: (key: string) => void failures.delete(key),
    active: () => [...failures].filter(([, { until }]) => until > performance.now()).map(([key]) => key),
  }
}
