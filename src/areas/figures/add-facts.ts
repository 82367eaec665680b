import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { type Db, later } from '#kernel/database/database.ts'
import { byAccount, forgetGathered, type LastStep, lastly } from '#kernel/database/lastly.ts'
import { type FigureName, type FigureOf, hasQuarters, hasTotal, isDaily } from './figure.ts'

/** Something that happened, and everything it counts for; an empty id is nothing. */
export interface Fact {
  name: FigureName
  at: Date
  of: { readonly [kind in FigureOf]?: string }
  /** One unless told; less than nothing takes back. */
  amount?: number
}

interface Sum {
  kind: FigureOf
  id: string
  name: FigureName
  /** The day or the quarter of an hour; empty for what is kept in all. */
  time: string
  value: number
  last: Date
}

/** A quarter of an hour, in milliseconds: no zone's clock is off by less. */
export const quarter = 15 * 60 * 1000

/**
 * Adds facts to every figure that tells of them, at the end of the transaction that records the facts. Nobody else writes figures. Whoever
 * counts for the same things waits until it is committed.
 */
export const addFacts = ({ db, accountId }: Pick<Context, 'db' | 'accountId'>, facts: readonly Fact[]) =>
  lastly(
    db,
    adding,
    facts.map((fact) => ({ ...fact, accountId })),
  )

const adding: LastStep<Fact & { accountId: string }> = {
  writes: 'figures',
  async write(db, facts) {
    for (const [accountId, own] of byAccount(facts)) await add(db, accountId, own)
  },
}

/** Leaves out facts of this transaction that are about to be found by a recount of everything. */
export function leaveToRecount({ db }: Pick<Context, 'db'>, names: ReadonlySet<FigureName>) {
  forgetGathered(db, adding, ({ name }) => names.has(name))
}

async function add(db: Db, accountId: string, facts: readonly Fact[]) {
  const daily = facts.filter(({ name }) => isDaily(name))
  const totals = sumsOf(facts, hasTotal, () => '')
  const days = sumsOf(
    daily,
    () => true,
    ({ at }) => at.toISOString().slice(0, 10),
  )
  const quarters = sumsOf(daily, hasQuarters, ({ at }) =>
    new Date(Math.floor(at.getTime() / quarter) * quarter).toISOString(),
  )
  // What was taken back in all may still have moved from one day to another.
  if (totals.length + days.length + quarters.length === 0) return
  const columns = (
    sums: readonly Sum[],
  ) => sql`${sums.map(({ kind }) => kind)}::text[], ${sums.map(({ id }) => id)}::text[],
    ${sums.map(({ name }) => name)}::text[], ${sums.map(({ value }) => value)}::bigint[]`
  // Rows are held in the order of their keys, totals before days before quarters, so that two who count for the same things wait in one direction.
  const counting = sql`
    with total as (
      insert into figures as f (account_id, of_kind, of_id, name, value, last)
      select ${accountId}, * from unnest(${columns(totals)}, ${totals.map(({ last }) => last)}::timestamptz[])
      on conflict (account_id, of_kind, of_id, name)
        do update set value = f.value + excluded.value, last = greatest(f.last, excluded.last)
      returning 1),
    day as (
      insert into daily_figures as f (account_id, of_kind, of_id, name, value, day)
      select ${accountId}, d.* from unnest(${columns(days)}, ${days.map(({ time }) => time)}::date[]) as d
      where (select count(*) from total) >= 0
      on conflict (account_id, of_kind, of_id, name, day) do update set value = f.value + excluded.value
      returning 1)
    insert into quarter_figures as f (account_id, of_kind, of_id, name, value, quarter)
    select ${accountId}, q.* from unnest(${columns(quarters)}, ${quarters.map(({ time }) => time)}::timestamptz[]) as q
    where (select count(*) from day) >= 0
    on conflict (account_id, of_kind, name, quarter, of_id) do update set value = f.value + excluded.value
    returning 1`
  await later(db, counting)
}

/** What facts come to, of each thing once, in one order. */
function sumsOf(facts: readonly Fact[], isKept: (kind: FigureOf) => boolean, timeOf: (fact: Fact) => string): Sum[] {
  const sums = new Map<string, Sum>()
  for (const fact of facts) {
    const { name, at, amount = 1 } = fact
    const time = timeOf(fact)
    for (const [kind, id] of Object.entries(fact.of) as [FigureOf, string][]) {
      if (!id || !isKept(kind)) continue
      const key = [kind, id, name, time].join(' ')
      const known = sums.get(key)
      if (!known) sums.set(key, { kind, id, name, time, value: amount, last: at })
      else Object.assign(known, { value: known.value + amount, last: at > known.last ? at : known.last })
    }
  }
  return [...sums]
    .filter(([, { value }]) => value !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sum]) => sum)
}
