import { sql } from 'kysely'
import { type Db, later } from '#kernel/database/database.ts'
import type { FigureName, FigureOf } from './figure.ts'

/** By how much a figure grows. */
export interface Sum {
  kind: FigureOf
  id: string
  name: FigureName
  /** The day or the quarter of an hour; empty for what is kept in all. */
  time: string
  value: number
  /** When the last of it happened. */
  last: Date
}

const keyOf = ({ kind, id, name, time }: Sum) => [kind, id, name, time].join(' ')

/** Of each figure once, with what it grows by in all. */
export function added(sums: readonly Sum[]): Sum[] {
  const found = new Map<string, Sum>()
  for (const sum of sums) {
    const key = keyOf(sum)
    const known = found.get(key)
    if (!known) found.set(key, { ...sum })
    else Object.assign(known, { value: known.value + sum.value, last: sum.last > known.last ? sum.last : known.last })
  }
  return [...found.values()]
}

/**
 * Adds to figures, of which each is given once. Rows are held in the order of their keys, totals before days before quarters, so that two
 * who count for the same things wait in one direction. Nobody else writes figures.
 */
export async function writeSums(
  db: Db,
  accountId: string,
  given: { totals: readonly Sum[]; days: readonly Sum[]; quarters: readonly Sum[] },
) {
  const [totals, days, quarters] = [given.totals, given.days, given.quarters].map(inOrder) as [Sum[], Sum[], Sum[]]
  // What was taken back in all may still have moved from one day to another.
  if (totals.length + days.length + quarters.length === 0) return
  const columns = (
    sums: readonly Sum[],
  ) => sql`${sums.map(({ kind }) => kind)}::text[], ${sums.map(({ id }) => id)}::text[],
    ${sums.map(({ name }) => name)}::text[], ${sums.map(({ value }) => value)}::bigint[]`
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

function inOrder(sums: readonly Sum[]): Sum[] {
  const keyed = sums.map((sum) => [keyOf(sum), sum] as const)
  return keyed.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}
