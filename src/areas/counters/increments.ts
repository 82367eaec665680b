import { sql } from 'kysely'
import { minute } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { byAccount, type DeferredWrite, deferWrite, dropDeferredWrites } from '#kernel/database/deferred-writes.ts'
import { type CounterKind, type CounterName, type GaugeName, hasQuarters, hasTotal, isDaily } from './counter.ts'

/** An increment, and the entities whose counters it increments; an empty id is ignored. */
export interface Increment {
  name: CounterName
  at: Date
  of: { readonly [kind in CounterKind]?: string }
  /** Defaults to one; negative amounts undo an increment. */
  amount?: number
}

/** A quarter of an hour in milliseconds: the finest UTC offset of any time zone. */
export const quarter = 15 * minute

/**
 * Increments every counter the increments belong to, at the end of the transaction that records them. Counters are written nowhere else.
 * Transactions that increment the same counters wait for its commit.
 */
export const incrementCounters = (
  { db, accountId }: Pick<Context, 'db' | 'accountId'>,
  increments: readonly Increment[],
) =>
  deferWrite(
    db,
    adding,
    increments.map((increment) => ({ ...increment, accountId })),
  )

const adding: DeferredWrite<Increment & { accountId: string }> = {
  // Counters are written by most areas, after everything else.
  order: 3,
  async write(db, increments) {
    for (const [accountId, own] of byAccount(increments)) await add(db, accountId, own)
  },
}

/** Drops deferred increments of this transaction that a full recount is about to include. */
export function leaveToRecount({ db }: Pick<Context, 'db'>, names: ReadonlySet<CounterName>) {
  dropDeferredWrites(db, adding, ({ name }) => names.has(name))
}

async function add(db: Db, accountId: string, increments: readonly Increment[]) {
  const daily = increments.filter(({ name }) => isDaily(name))
  await writeSums(db, accountId, {
    totals: sumsOf(increments, hasTotal, () => ''),
    days: sumsOf(
      daily,
      () => true,
      ({ at }) => at.toISOString().slice(0, 10),
    ),
    quarters: sumsOf(daily, hasQuarters, ({ at }) =>
      new Date(Math.floor(at.getTime() / quarter) * quarter).toISOString(),
    ),
  })
}

/** Sums the increments, one row per counter. */
function sumsOf(
  increments: readonly Increment[],
  hasCounter: (kind: CounterKind) => boolean,
  timeOf: (increment: Increment) => string,
): Sum[] {
  const sums: Sum[] = []
  for (const increment of increments) {
    const { name, at: last, amount: value = 1 } = increment
    const time = timeOf(increment)
    for (const [kind, id] of Object.entries(increment.of) as [CounterKind, string][])
      if (id && hasCounter(kind)) sums.push({ kind, id, name, time, value, last })
  }
  return added(sums).filter(({ value }) => value !== 0)
}

/** A gauge at a point in time: the followers of a profile. */
export interface Gauge {
  name: GaugeName
  at: Date
  profile: string
  value: number
}

/** Records gauges. The last value of each quarter of an hour is kept, in whatever order they arrive. */
export async function recordGauges({ db, accountId }: Pick<Context, 'db' | 'accountId'>, gauges: readonly Gauge[]) {
  const last = new Map<string, Gauge & { quarter: Date }>()
  for (const gauge of gauges) {
    const begin = new Date(Math.floor(gauge.at.getTime() / quarter) * quarter)
    const key = [gauge.profile, gauge.name, begin.toISOString()].join(' ')
    if ((last.get(key)?.at ?? gauge.at) <= gauge.at) last.set(key, { ...gauge, quarter: begin })
  }
  const rows = [...last].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  if (rows.length === 0) return
  const writing = sql`
    insert into gauges as l (account_id, of_kind, of_id, name, quarter, value, at)
    select ${accountId}, 'profile', n.* from unnest(${rows.map(({ profile }) => profile)}::text[], ${rows.map(({ name }) => name)}::text[],
      ${rows.map((row) => row.quarter)}::timestamptz[], ${rows.map(({ value }) => value)}::bigint[], ${rows.map(({ at }) => at)}::timestamptz[]) as n
    on conflict (account_id, of_kind, of_id, name, quarter) do update set
      value = case when excluded.at >= l.at then excluded.value else l.value end, at = greatest(l.at, excluded.at)
    returning 1`
  await later(db, writing)
}

/** The increment of a counter. */
export interface Sum {
  kind: CounterKind
  id: string
  name: CounterName
  /** The day or the quarter of an hour; empty for totals. */
  time: string
  value: number
  /** Time of the latest increment. */
  last: Date
}

const keyOf = ({ kind, id, name, time }: Sum) => [kind, id, name, time].join(' ')

/** Merges increments, so that each counter occurs once. */
export function added(sums: readonly Sum[]): Sum[] {
  const found = new Map<string, Sum>()
  for (const sum of sums) {
    const key = keyOf(sum)
    const known = found.get(key)
    if (!known) found.set(key, { ...sum })
    else {
      known.value += sum.value
      if (sum.last > known.last) known.last = sum.last
    }
  }
  return [...found.values()]
}

/**
 * Increments counters, each given once. Rows are locked in key order, totals before days before quarters, so that concurrent transactions
 * can't deadlock. Counters are written nowhere else.
 */
export async function writeSums(
  db: Db,
  accountId: string,
  given: { totals: readonly Sum[]; days: readonly Sum[]; quarters: readonly Sum[] },
) {
  const [totals, days, quarters] = [given.totals, given.days, given.quarters].map(inOrder) as [Sum[], Sum[], Sum[]]
  // A total of zero can still move counts from one day to another.
  if (totals.length + days.length + quarters.length === 0) return
  const columns = (
    sums: readonly Sum[],
  ) => sql`${sums.map(({ kind }) => kind)}::text[], ${sums.map(({ id }) => id)}::text[],
    ${sums.map(({ name }) => name)}::text[], ${sums.map(({ value }) => value)}::bigint[]`
  const counting = sql`
    with total as (
      insert into counters as f (account_id, of_kind, of_id, name, value, last)
      select ${accountId}, * from unnest(${columns(totals)}, ${totals.map(({ last }) => last)}::timestamptz[])
      on conflict (account_id, of_kind, of_id, name)
        do update set value = f.value + excluded.value, last = greatest(f.last, excluded.last)
      returning 1),
    day as (
      insert into daily_rollups as f (account_id, of_kind, of_id, name, value, day)
      select ${accountId}, d.* from unnest(${columns(days)}, ${days.map(({ time }) => time)}::date[]) as d
      where (select count(*) from total) >= 0
      on conflict (account_id, of_kind, of_id, name, day) do update set value = f.value + excluded.value
      returning 1)
    insert into quarter_hour_rollups as f (account_id, of_kind, of_id, name, value, quarter)
    select ${accountId}, q.* from unnest(${columns(quarters)}, ${quarters.map(({ time }) => time)}::timestamptz[]) as q
    where (select count(*) from day) >= 0
    on conflict (account_id, of_kind, name, quarter, of_id) do update set value = f.value + excluded.value
    returning 1`
  await later(db, counting)
}

function inOrder(sums: readonly Sum[]): Sum[] {
  const keyed = sums.map((sum) => [keyOf(sum), sum] as const)
  return keyed.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}
