import { type RawBuilder, sql } from 'kysely'
import type { Db } from './handle.ts'
import type { DB } from './tables.ts'

/**
 * Row locks and named locks that a transaction holds until it ends. Areas declare theirs in one lock order (`locks` in their manifests): a
 * transaction that holds a lock never waits for an earlier one, and rows of one table are locked in the order of their keys. So
 * transactions can't deadlock.
 */

/** Strength of a row lock, as in PostgreSQL. */
type Strength = 'update' | 'no key update' | 'share' | 'key share'

/** The end of a query that locks its rows: `.modifyEnd(lockRows('posts', 'update'))`. */
export const lockRows = (table: keyof DB, strength: Strength, alias: string = table): RawBuilder<unknown> =>
  sql`for ${sql.raw(strength)} of ${sql.id(alias)} ${lockMark(table)}`

/** The same, skipping rows locked by others. It never waits, so it may be used at any point of the lock order. */
export const lockFreeRows = (table: keyof DB, strength: Strength, alias: string = table): RawBuilder<unknown> =>
  sql`for ${sql.raw(strength)} of ${sql.id(alias)} skip locked`

/** Acquires a lock that is not a row, for one account or for all. */
export async function acquireLock(db: Db, name: string, accountId = '') {
  await sql`select pg_advisory_xact_lock(${lockKey(name, accountId)}) ${lockMark(name)}`.execute(db)
}

/** The same without waiting; returns whether the lock was acquired. */
export async function tryLock(db: Db, name: string, accountId = ''): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select pg_try_advisory_xact_lock(${lockKey(name, accountId)}) as held`.execute(db)
  return rows[0]?.held ?? false
}

const lockKey = (name: string, accountId: string) => sql`hashtextextended(${`${name}/${accountId}`}, 0)`

/** Names the lock in the statement itself, for `followLocks`. */
const lockMark = (lock: string) => sql.raw(`/* holds ${lock} */`)

/**
 * May be locked at any time: a transaction that waits for quota waits for those that are creating objects of that kind, and they never wait
 * for quota of the same kind again.
 */
const withoutOrder: readonly string[] = ['accountUsage' satisfies keyof DB]

interface Watch {
  readonly order: readonly string[]
  /** Receives a lock that was acquired against the order or is not declared, and the statement. */
  readonly report: (violation: string) => void
}

let watch: Watch | undefined

/** For tests: checks every transaction of this process against a lock order from now on. */
export const watchLocks = (wanted: Watch | undefined) => {
  watch = wanted
}

/** Follows one transaction, statement by statement; undefined while nothing is checked. */
export function followLocks(): ((statement: string) => void) | undefined {
  if (!watch) return undefined
  const { order, report } = watch
  const held: string[] = []
  return (statement) => {
    for (const lock of locksIn(statement)) {
      // Further rows of the same table follow the order of their keys.
      if (held.includes(lock) || withoutOrder.includes(lock)) continue
      const position = order.indexOf(lock)
      const shown = statement.replace(/\s+/g, ' ').slice(0, 300)
      if (position < 0) report(`${lock} is declared by no area: ${shown}`)
      const later = held.find((one) => order.indexOf(one) > position)
      if (later) report(`${lock} after ${later}: ${shown}`)
      held.push(lock)
    }
  }
}

const locksIn = (statement: string): string[] =>
  [...statement.matchAll(/\/\* holds (\w+) \*\//g)].map(([, lock]) => lock as string)
