import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { lockFreeRows } from '../database/locks.ts'
import type { Caller, Counting } from './caller.ts'
import { clockDifference } from './rules.ts'

/** Messages between processes about a caller. The rows are authoritative; a lost message only costs time. */
export type Message = { from: string; caller: string } & (
  | { kind: 'ask'; of: string[]; lacks: number[] }
  | { kind: 'told'; to: string; used: number[] }
  | { kind: 'blocked'; until: number }
)

export const channel = 'rate_limits'

export async function notify(db: Db, messages: Message[]) {
  const payloads = messages.map((message) => JSON.stringify(message))
  await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(db)
}

export interface Row {
  caller: string
  day: string
  dayCount: number
  blockedUntil: Date | null
  /** The most recent calls of processes that have stopped. */
  calls: number[]
  /** Shares by process: the calls each may admit by itself. */
  parts: Record<string, number[]>
}

/** Takes the unallocated part of the exhausted limits; if stopped processes left calls, of all limits. */
export function takeFree({ database, clock, rules, id, gone }: Counting, { key, account }: Caller, lacks: number[]) {
  const today = dayText(clock.now().getTime())
  return database.transaction(account, async (db) => {
    const locked = await sql<Row>`insert into rate_limits as held (caller, day) values (${key}, ${today})
      on conflict (caller) do update set day = held.day returning *`.execute(db)
    const row = locked.rows[0]!
    const dayCount = row.day === today ? row.dayCount : 0
    const others = Object.entries(row.parts).filter(([holder]) => holder !== id && !gone.has(holder))
    const limits = [...rules.windows.map(({ calls }) => calls), rules.day - dayCount]
    const taken = row.calls.length > 0 ? [...limits.keys()] : lacks
    const left = limits.map((most, limit) => others.reduce((rest, [, held]) => rest - (held[limit] ?? 0), most))
    const part = left.map((most, limit) => (taken.includes(limit) ? Math.max(0, most) : (row.parts[id]?.[limit] ?? 0)))
    const parts = JSON.stringify({ ...Object.fromEntries(others), [id]: part })
    await sql`update rate_limits set day = ${today}, day_count = ${dayCount}, calls = '{}', parts = ${parts}
      where caller = ${key}`.execute(db)
    return { row: { ...row, day: today, dayCount }, part, taken, others }
  })
}

/** Calls of the day and the remaining share. A stopping process gives up its share and leaves its most recent calls. */
export interface RowUpdate {
  caller: Caller
  day: number
  count: number
  part?: number[]
  calls: number[]
}

/** Updates many rows in one statement and returns them. A share that another process took over as abandoned is not restored. */
export async function updateRows({ database, id }: Counting, updates: readonly RowUpdate[]): Promise<Row[]> {
  const column = (value: (update: RowUpdate) => unknown) => updates.map(value)
  // In key order, so that two processes that update the same rows can't deadlock.
  const { rows } = await sql<Row>`insert into rate_limits as held (caller, day, day_count, calls, parts)
    select caller, day, count, calls::bigint[], part
    from unnest(${column(({ caller }) => caller.key)}::text[],
      ${column(({ day }) => dayText(day))}::date[], ${column(({ count }) => count)}::integer[],
      ${column(({ calls }) => `{${calls.join()}}`)}::text[],
      ${column(({ part }) => JSON.stringify(part ? { [id]: part } : {}))}::jsonb[]
    ) as told (caller, day, count, calls, part) order by caller collate "C"
    on conflict (caller) do update set day = excluded.day,
      day_count = excluded.day_count + case when held.day = excluded.day then held.day_count else 0 end,
      calls = held.calls || excluded.calls,
      parts = held.parts - ${id}::text || case when held.parts ? ${id} then excluded.parts else '{}' end
    returning *`.execute(database.shared)
  return rows
}

/** Starts a block, which is sent to all processes and outlives them; not while another is active. */
export async function startBlock({ database, id }: Counting, { key, account }: Caller, at: number, until: number) {
  const message: Message = { kind: 'blocked', from: id, caller: key, until }
  const { rows } = await sql`
    with begun as (update rate_limits set blocked_until = ${new Date(until)} where caller = ${key}
      and (blocked_until between ${new Date(at + 1)} and ${new Date(until + clockDifference - 1)}) is not true returning 1)
    select pg_notify(${channel}, ${JSON.stringify(message)}) from begun`.execute(database.forAccount(account))
  return rows.length > 0
}

/** Deletes rows that no longer affect any limit. */
export async function deleteOldRows({ database, clock }: Counting) {
  const now = clock.now()
  await sql`delete from rate_limits where caller in (select caller from rate_limits
    where day < ${dayText(now.getTime())}::date - 1 and (blocked_until > ${now}) is not true
    order by caller ${lockFreeRows('rateLimits', 'update')})`.execute(database.shared)
}

const dayText = (time: number) => new Date(time).toISOString().slice(0, 10)
