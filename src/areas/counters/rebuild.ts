import { sql } from 'kysely'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { flushDeferredWrites } from '#kernel/database/deferred-writes.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { counterKinds, hasQuarters, hasTotal, type Recount } from './counter.ts'
import { added, type Sum, writeSums } from './increments.ts'

interface RebuildState {
  /** Days recounted since the rebuild started, and the total number of days. */
  days: number
  of: number
  isDone: boolean
}

/** Starts a rebuild of an account's counters; a running one continues. */
export async function beginRebuild({ db, accountId, now }: Context) {
  await db
    .insertInto('counterRebuilds')
    .values({ accountId, begun: now })
    .onConflict((on) => on.doNothing())
    .execute()
}

/** Recounts the next days of a rebuild in the caller's transaction; returns undefined if none is running. */
export async function rebuildSome(
  context: Context,
  recounts: readonly Recount[],
  many = 1,
): Promise<RebuildState | undefined> {
  const { db, accountId, now } = context
  const rebuild = await db
    .selectFrom('counterRebuilds')
    .select([sql<string | null>`first::text`.as('first'), sql<string | null>`reached::text`.as('reached')])
    .where('accountId', '=', accountId)
    // Locked, because two processes that find the same difference would both add it.
    .modifyEnd(lockRows('counterRebuilds', 'update'))
    .executeTakeFirst()
  if (!rebuild) return undefined
  await flushDeferredWrites(db)
  const first = rebuild.first ? Date.parse(rebuild.first) : await firstDay(context, recounts)
  const end = startOfDay(now) + day
  const from = rebuild.reached ? Date.parse(rebuild.reached) : first
  const to = Math.min(from + many * day, end)
  const isDone = to >= end
  await correctCounters(context, recounts, { from: new Date(from), to: new Date(to), andTotals: isDone })
  if (isDone) {
    await db.deleteFrom('counterRebuilds').where('accountId', '=', accountId).execute()
  } else
    await db
      .updateTable('counterRebuilds')
      .set({ first: dateOf(first), reached: dateOf(to) })
      .where('accountId', '=', accountId)
      .execute()
  return { days: Math.round((to - first) / day), of: Math.round((end - first) / day), isDone }
}

/** Whether the account has any counters of these recounts. */
export async function hasCounters({ db, accountId }: Context, recounts: readonly Recount[]): Promise<boolean> {
  const names = recounts.flatMap((recount) => recount.names)
  const some = await db
    .selectFrom('counters')
    .select('name')
    .where('accountId', '=', accountId)
    .where(sql<boolean>`name = any (${names})`)
    .limit(1)
    .executeTakeFirst()
  return some !== undefined
}

/**
 * Counts everything the recounts find, for an account without counters of theirs. A rebuild would compare every counter in this process;
 * here no row leaves the database.
 */
export async function countFirst({ db, accountId, now }: Context, recounts: readonly Recount[]) {
  await flushDeferredWrites(db)
  const [from, to] = [new Date(0), new Date(startOfDay(now) + day)]
  const increments = sql.join(
    recounts.map((recount) => recount.increments(accountId, from, to)),
    sql` union all `,
  )
  const [withTotal, withQuarters] = [counterKinds.filter(hasTotal), counterKinds.filter(hasQuarters)]
  await sql`
    with increment as materialized (
      select t.kind, t.id, t.name, date_bin('15 minutes', t.at, '2000-01-01 00:00+00') as quarter, sum(t.amount) as value, max(t.at) as last
      from (${increments}) t where t.id <> '' group by 1, 2, 3, 4),
    quarter as (
      insert into quarter_hour_rollups (account_id, of_kind, name, quarter, of_id, value)
      select ${accountId}, i.kind, i.name, i.quarter, i.id, i.value from increment i
      where i.kind = any (${withQuarters}) and i.value <> 0 order by i.kind, i.name, i.quarter, i.id
      returning 1),
    day as (
      insert into daily_rollups (account_id, of_kind, of_id, name, day, value)
      select ${accountId}, i.kind, i.id, i.name, (i.quarter at time zone 'UTC')::date, sum(i.value) from increment i
      group by i.kind, i.id, i.name, 5 having sum(i.value) <> 0 order by i.kind, i.id, i.name, 5
      returning 1)
    insert into counters (account_id, of_kind, of_id, name, value, last)
    select ${accountId}, i.kind, i.id, i.name, sum(i.value), max(i.last) from increment i
    where i.kind = any (${withTotal}) group by i.kind, i.id, i.name having sum(i.value) <> 0 order by i.kind, i.id, i.name
    returning 1`.execute(db)
}

export const rebuildCounters = { name: 'counters.rebuild-counters', queue: 'housekeeping' } as const

/** Continues unfinished rebuilds, one day per transaction. */
export const rebuildCountersJob = (recounts: readonly Recount[]) =>
  job<Record<string, never>>(rebuildCounters.name, {
    ...rebuildCounters,
    timeout: 3_600_000,
    run: (context) =>
      forEachAccount(context, async (id) => {
        let state = await context.transaction(id, (inside) => rebuildSome(inside, recounts))
        while (state && !state.isDone && !context.signal.aborted)
          state = await context.transaction(id, (inside) => rebuildSome(inside, recounts))
      }),
  })

interface DayRange {
  from: Date
  to: Date
  /** Totals are corrected as well: they are the sum of their days. */
  andTotals?: boolean
}

/**
 * Adds the difference between a recount and the counters of some days. Both are read in one snapshot by one read-only statement (on a
 * cluster a statement that also writes is split into several, each with its own snapshot), and increments and counters are written in one
 * transaction. Concurrent increments are therefore in both or in neither, and the service can keep running.
 */
export async function correctCounters(
  context: Pick<Context, 'db' | 'accountId'>,
  recounts: readonly Recount[],
  range: DayRange,
) {
  const { rows } = await differences(context.accountId, recounts, range).execute(context.db)
  const sums = rows.map(({ value, last, ...row }) => ({ ...row, value: Number(value), last: last ?? never }))
  const correctionsOf = (kept: Difference['kept']) => sums.filter((sum) => sum.kept === kept)
  await writeSums(context.db, context.accountId, {
    totals: added(correctionsOf('total')),
    days: correctionsOf('day'),
    quarters: correctionsOf('quarter'),
  })
}

const never = new Date(0)

interface Difference extends Pick<Sum, 'kind' | 'id' | 'name' | 'time'> {
  kept: 'total' | 'day' | 'quarter'
  value: string
  last: Date | null
}

function differences(accountId: string, recounts: readonly Recount[], { from, to, andTotals = false }: DayRange) {
  const names = recounts.flatMap((recount) => recount.names)
  const increments = sql.join(
    recounts.map((recount) => recount.increments(accountId, from, to)),
    sql` union all `,
  )
  const [withTotal, withQuarters] = [counterKinds.filter(hasTotal), counterKinds.filter(hasQuarters)]
  const kept = (
    table: 'daily_rollups' | 'quarter_hour_rollups',
    time: 'day' | 'quarter',
    type: 'date' | 'timestamptz',
  ) => {
    const moment = sql.id(time)
    return sql`select f.of_kind, f.of_id, f.name, f.${moment}, -f.value from ${sql.id(table)} f where f.account_id = ${accountId}
      and f.of_kind = any (${counterKinds}) and f.name = any (${names})
      and f.${moment} >= ${from.toISOString()}::${sql.raw(type)} and f.${moment} < ${to.toISOString()}::${sql.raw(type)}`
  }
  const totals = sql`
    union all select 'total', d.kind, d.id, d.name, '', sum(d.value), max(d.last) from (
      select f.of_kind as kind, f.of_id as id, f.name, sum(f.value) as value, max(f.day)::timestamptz as last from daily_rollups f
      where f.account_id = ${accountId} and f.of_kind = any (${withTotal}) and f.name = any (${names}) group by 1, 2, 3
      union all select kind, id, name, value, null from day_difference where kind = any (${withTotal})
      union all select f.of_kind, f.of_id, f.name, -f.value, f.last from counters f
      where f.account_id = ${accountId} and f.of_kind = any (${withTotal}) and f.name = any (${names})) d
    group by d.kind, d.id, d.name having sum(d.value) <> 0`
  return sql<Difference>`
    with increment as materialized (
      select t.kind, t.id, t.name, date_bin('15 minutes', t.at, '2000-01-01 00:00+00') as quarter, sum(t.amount) as value, max(t.at) as last
      from (${increments}) t where t.id <> '' and t.amount <> 0 group by 1, 2, 3, 4),
    day_difference as materialized (
      select d.kind, d.id, d.name, d.day, sum(d.value) as value from (
        select kind, id, name, (quarter at time zone 'UTC')::date as day, value from increment
        union all ${kept('daily_rollups', 'day', 'date')}) d
      group by 1, 2, 3, 4 having sum(d.value) <> 0)
    select 'total' as kept, n.kind, n.id, n.name, '' as time, 0 as value, n.last from (
      select kind, id, name, max(last) as last from increment where kind = any (${withTotal}) group by 1, 2, 3) n
      left join counters f on f.account_id = ${accountId} and f.of_kind = n.kind and f.of_id = n.id and f.name = n.name
    where f.last is null or f.last < n.last
    union all select 'day', kind, id, name, day::text, value, null from day_difference
    union all select 'quarter', d.kind, d.id, d.name, d.quarter::text, sum(d.value), null from (
      select kind, id, name, quarter, value from increment where kind = any (${withQuarters})
      union all ${kept('quarter_hour_rollups', 'quarter', 'timestamptz')}) d
    group by d.kind, d.id, d.name, d.quarter having sum(d.value) <> 0
    ${andTotals ? totals : sql``}`
}

/** Start of a rebuild: the first increment, or the first counter that may be wrong. */
async function firstDay({ db, accountId, now }: Context, recounts: readonly Recount[]): Promise<number> {
  const names = recounts.flatMap((recount) => recount.names)
  const firsts = sql.join(recounts.map(({ first }) => sql`(${first(accountId)})`))
  const { rows } = await sql<{ first: Date | null }>`
    select least(${firsts}, (select min(f.day)::timestamptz from daily_rollups f where f.account_id = ${accountId}
      and f.of_kind = any (${counterKinds}) and f.name = any (${names}))) as first`.execute(db)
  return startOfDay(rows[0]?.first ?? now)
}

const dateOf = (moment: number) => new Date(moment).toISOString().slice(0, 10)

const startOfDay = (moment: Date) => Math.floor(moment.getTime() / day) * day
