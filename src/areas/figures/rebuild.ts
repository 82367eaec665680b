import { sql } from 'kysely'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { flushDeferredWrites } from '#kernel/database/deferred-writes.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { added, type Sum, writeSums } from './add-facts.ts'
import { figureKinds, hasQuarters, hasTotal, type Recount } from './figure.ts'

interface RebuildState {
  /** Days recounted since the rebuild started, and the total number of days. */
  days: number
  of: number
  isDone: boolean
}

/** Starts a rebuild of an account's counters; a running one continues. */
export async function beginRebuild({ db, accountId, now }: Context) {
  await db
    .insertInto('figureRebuilds')
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
    .selectFrom('figureRebuilds')
    .select([sql<string | null>`first::text`.as('first'), sql<string | null>`reached::text`.as('reached')])
    .where('accountId', '=', accountId)
    // Locked, because two processes that find the same difference would both add it.
    .modifyEnd(lockRows('figureRebuilds', 'update'))
    .executeTakeFirst()
  if (!rebuild) return undefined
  await flushDeferredWrites(db)
  const first = rebuild.first ? Date.parse(rebuild.first) : await firstDay(context, recounts)
  const end = startOfDay(now) + day
  const from = rebuild.reached ? Date.parse(rebuild.reached) : first
  const to = Math.min(from + many * day, end)
  const isDone = to >= end
  await correctFigures(context, recounts, { from: new Date(from), to: new Date(to), andTotals: isDone })
  if (isDone) {
    await db.deleteFrom('figureRebuilds').where('accountId', '=', accountId).execute()
  } else
    await db
      .updateTable('figureRebuilds')
      .set({ first: dateOf(first), reached: dateOf(to) })
      .where('accountId', '=', accountId)
      .execute()
  return { days: Math.round((to - first) / day), of: Math.round((end - first) / day), isDone }
}

export const rebuildFigures = { name: 'figures.rebuild-figures', queue: 'housekeeping' } as const

/** Continues unfinished rebuilds, one day per transaction. */
export const rebuildFiguresJob = (recounts: readonly Recount[]) =>
  job<Record<string, never>>(rebuildFigures.name, {
    ...rebuildFigures,
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
 * cluster a statement that also writes is split into several, each with its own snapshot), and facts and counters are written in one
 * transaction. Concurrent increments are therefore in both or in neither, and the service can keep running.
 */
export async function correctFigures(
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
  const facts = sql.join(
    recounts.map((recount) => recount.facts(accountId, from, to)),
    sql` union all `,
  )
  const [withTotal, withQuarters] = [figureKinds.filter(hasTotal), figureKinds.filter(hasQuarters)]
  const kept = (table: 'daily_figures' | 'quarter_figures', time: 'day' | 'quarter', type: 'date' | 'timestamptz') => {
    const moment = sql.id(time)
    return sql`select f.of_kind, f.of_id, f.name, f.${moment}, -f.value from ${sql.id(table)} f where f.account_id = ${accountId}
      and f.of_kind = any (${figureKinds}) and f.name = any (${names})
      and f.${moment} >= ${from.toISOString()}::${sql.raw(type)} and f.${moment} < ${to.toISOString()}::${sql.raw(type)}`
  }
  const totals = sql`
    union all select 'total', d.kind, d.id, d.name, '', sum(d.value), max(d.last) from (
      select f.of_kind as kind, f.of_id as id, f.name, sum(f.value) as value, max(f.day)::timestamptz as last from daily_figures f
      where f.account_id = ${accountId} and f.of_kind = any (${withTotal}) and f.name = any (${names}) group by 1, 2, 3
      union all select kind, id, name, value, null from day_difference where kind = any (${withTotal})
      union all select f.of_kind, f.of_id, f.name, -f.value, f.last from figures f
      where f.account_id = ${accountId} and f.of_kind = any (${withTotal}) and f.name = any (${names})) d
    group by d.kind, d.id, d.name having sum(d.value) <> 0`
  return sql<Difference>`
    with fact as materialized (
      select t.kind, t.id, t.name, date_bin('15 minutes', t.at, '2000-01-01 00:00+00') as quarter, sum(t.amount) as value, max(t.at) as last
      from (${facts}) t where t.id <> '' and t.amount <> 0 group by 1, 2, 3, 4),
    day_difference as materialized (
      select d.kind, d.id, d.name, d.day, sum(d.value) as value from (
        select kind, id, name, (quarter at time zone 'UTC')::date as day, value from fact
        union all ${kept('daily_figures', 'day', 'date')}) d
      group by 1, 2, 3, 4 having sum(d.value) <> 0)
    select 'total' as kept, n.kind, n.id, n.name, '' as time, 0 as value, n.last from (
      select kind, id, name, max(last) as last from fact where kind = any (${withTotal}) group by 1, 2, 3) n
      left join figures f on f.account_id = ${accountId} and f.of_kind = n.kind and f.of_id = n.id and f.name = n.name
    where f.last is null or f.last < n.last
    union all select 'day', kind, id, name, day::text, value, null from day_difference
    union all select 'quarter', d.kind, d.id, d.name, d.quarter::text, sum(d.value), null from (
      select kind, id, name, quarter, value from fact where kind = any (${withQuarters})
      union all ${kept('quarter_figures', 'quarter', 'timestamptz')}) d
    group by d.kind, d.id, d.name, d.quarter having sum(d.value) <> 0
    ${andTotals ? totals : sql``}`
}

/** Start of a rebuild: the first fact, or the first counter that may be wrong. */
async function firstDay({ db, accountId, now }: Context, recounts: readonly Recount[]): Promise<number> {
  const names = recounts.flatMap((recount) => recount.names)
  const firsts = sql.join(recounts.map(({ first }) => sql`(${first(accountId)})`))
  const { rows } = await sql<{ first: Date | null }>`
    select least(${firsts}, (select min(f.day)::timestamptz from daily_figures f where f.account_id = ${accountId}
      and f.of_kind = any (${figureKinds}) and f.name = any (${names}))) as first`.execute(db)
  return startOfDay(rows[0]?.first ?? now)
}

const dateOf = (moment: number) => new Date(moment).toISOString().slice(0, 10)

const startOfDay = (moment: Date) => Math.floor(moment.getTime() / day) * day
