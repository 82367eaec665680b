import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type EventLoopTime, openEventLoopTime } from '../event-loop/event-loop-time.ts'
import { type ConnectionPoolOptions, openConnectionPool, shareOf } from './connection-pool.ts'
import { collectDeferredWrites } from './deferred-writes.ts'
import { type Db, handle } from './handle.ts'
import { followLocks } from './locks.ts'
import { openScope, runScoped, type Scope } from './scope.ts'

export { type Db, later } from './handle.ts'

export interface Database {
  /** Single statements, each on any free connection. */
  forAccount(accountId: string): Db
  /** The same for unauthenticated callers, whatever account they name: together they have the share of one account. */
  forUnauthenticated(accountId: string): Db
  /** A transaction that begins with the first statement; retried on serialization failures, deadlocks, and assumptions that did not hold. */
  transaction<Result>(accountId: string, work: (db: Db, attempt: number) => Promise<Result>): Promise<Result>
  /** Tables that belong to no account. */
  readonly shared: Db
  /** Shares of event loop time by account. */
  readonly thread: EventLoopTime
  /** Whether the rows of accounts are distributed over several nodes. */
  isDistributed(): Promise<boolean>
  readonly connections: () => { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export type DatabaseOptions = ConnectionPoolOptions

export function openDatabase(options: DatabaseOptions): Database {
  const thread = openEventLoopTime(shareOf(options.connections))
  const pool = openConnectionPool(options, thread)
  const apart = (accountId: string, owner: string | undefined) =>
    handle(async (query) => {
      const loan = await pool.acquire(owner)
      try {
        return await runScoped(loan, accountId, query)
      } finally {
        loan.release()
      }
    })
  const known = keptHandles((accountId) => apart(accountId, accountId))
  const unknown = keptHandles((accountId) => apart(accountId, 'anybody'))

  return {
    forAccount: known,
    forUnauthenticated: unknown,
    shared: apart('', undefined),
    thread,
    transaction: (accountId, work) =>
      attempt((number) =>
        inTransaction(
          async () => openScope(await pool.acquire(accountId || undefined), accountId),
          (db) => work(db, number),
        ),
      ),
    async isDistributed() {
      const { isCluster, release } = await pool.acquire(undefined)
      release()
      return isCluster
    },
    connections: pool.connections,
    close: pool.close,
  }
}

const maximumHandles = 1000

/** A handle for single statements only holds the account id; creating one costs as much as some queries, so they are cached. */
function keptHandles(make: (accountId: string) => Db): (accountId: string) => Db {
  const handles = new Map<string, Db>()
  return (accountId) => {
    const cached = handles.get(accountId)
    if (cached) return cached
    if (handles.size >= maximumHandles) handles.clear()
    const made = make(accountId)
    handles.set(accountId, made)
    return made
  }
}

const retryable = new Set(['40001', '40P01'])

/** Runs a transaction and retries it if the database aborted it in favor of another, or because of an assumption. */
async function attempt<Result>(transaction: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction(tries)
    } catch (error) {
      if (tries === 3 || !(isAssumption(error) || retryable.has((error as { code?: string }).code ?? ''))) throw error
    }
  }
}

const assumption = 'An assumption did not hold: '

/**
 * For statements whose result nobody waits for: if the condition is false, the transaction is rolled back and run again. Only its first
 * attempt may assume anything. SQL without functions of its own can only fail by an invalid cast; `column`, of the row the condition is about,
 * keeps it from being evaluated while the statement is planned.
 */
export const assume = (condition: RawBuilder<unknown>, column: RawBuilder<unknown>) =>
  sql`case when ${condition} then 0 else (${sql.lit(assumption)} || ${column})::integer end`

const isAssumption = (error: unknown) =>
  (error as { code?: string }).code === '22P02' && String((error as Error).message).includes(assumption)

/** Runs the work in one transaction that begins with the first statement: work without statements costs nothing. */
async function inTransaction<Result>(open: () => Promise<Scope>, work: (db: Db) => Promise<Result>): Promise<Result> {
  let opening: Promise<Scope> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let ended = false
  // Statements whose results are not awaited, until another statement takes them along.
  let waiting: CompiledQuery[] = []
  const follow = followLocks()
  const note = (query: CompiledQuery) => {
    if (ended) throw new Error('A statement was run after its transaction had ended.')
    follow?.(query.sql)
  }
  const db = handle(
    async (query) => {
      note(query)
      const queries = [...waiting, query]
      waiting = []
      opening ??= open()
      const scope = await opening
      // One after the other, even if the work starts several concurrently.
      const result = last.then(() => scope.run(queries))
      last = result.catch(() => {})
      return result
    },
    (query) => {
      note(query)
      waiting.push(query)
    },
  )

  const writeLast = collectDeferredWrites(db)
  let result: Result
  try {
    result = await work(db)
    await writeLast()
  } catch (error) {
    ended = true
    const scope = await opening?.catch(() => undefined)
    await last
    await scope?.rollBack()
    throw error
  }
  ended = true
  await last
  if (waiting.length > 0) opening ??= open()
  await (await opening)?.commit(waiting)
  return result
}

/** Whether the statement violated this unique index. */
export function isDuplicate(error: unknown, index: string): boolean {
  const { code, constraint, message = '' } = error as { code?: string; constraint?: string; message?: string }
  if (code !== '23505') return false
  if (constraint !== undefined) return constraint === index
  // A cluster names the index only in the message, with the shard number of the node.
  return message.split(/\W/).some((word) => word === index || isShardOf(word, index))
}

const isShardOf = (word: string, index: string) =>
  word.startsWith(`${index}_`) && /^\d+$/.test(word.slice(index.length + 1))
