import { sql } from 'kysely'
import type { LevelName } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import type { Bucket } from './period.ts'
import type { Filters } from './report-definition.ts'

/** How high something stands at the end of a bucket, of one profile. */
export interface LevelSum {
  bucket: number
  id: string
  value: number
}

/** The last level of each profile at the end of each bucket: what was known last goes on until something else is. */
export async function levelsOf(
  { db, accountId }: Context,
  name: LevelName,
  buckets: readonly Bucket[],
  filters: Filters,
): Promise<LevelSum[]> {
  const [first] = buckets
  if (!first) return []
  const ends = buckets.map(({ end }) => new Date(end).toISOString())
  const begin = new Date(first.start).toISOString()
  const wanted = sql`select c.id from credentials c where c.account_id = ${accountId}
    and ${filters.profile ? sql`c.id = any (${filters.profile})` : sql`true`}
    and ${filters.network ? sql`c.network = any (${filters.network})` : sql`true`}`
  const { rows: known } = await sql<LevelSum>`
    select -1 as bucket, p.id, l.value from (${wanted}) p
    join lateral (select v.value from levels v where v.account_id = ${accountId} and v.of_kind = 'profile' and v.of_id = p.id
      and v.name = ${name} and v.quarter < ${begin}::timestamptz order by v.quarter desc limit 1) l on true`.execute(db)
  const { rows: later } = await sql<LevelSum>`
    select distinct on (2, 1) width_bucket(v.quarter, ${ends}::timestamptz[]) as bucket, v.of_id as id, v.value from levels v
    where v.account_id = ${accountId} and v.of_kind = 'profile' and v.name = ${name} and v.of_id = any (array(${wanted}))
      and v.quarter >= ${begin}::timestamptz and v.quarter < ${ends.at(-1)}::timestamptz
    order by 2, 1, v.quarter desc`.execute(db)
  return carriedOn([...known, ...later], buckets.length)
}

function carriedOn(rows: readonly LevelSum[], buckets: number): LevelSum[] {
  const byProfile = new Map<string, Map<number, number>>()
  for (const { id, bucket, value } of rows)
    byProfile.set(id, (byProfile.get(id) ?? new Map<number, number>()).set(bucket, value))
  return [...byProfile].flatMap(([id, values]) => {
    let last = values.get(-1)
    const carried: LevelSum[] = []
    for (let bucket = 0; bucket < buckets; bucket++) {
      last = values.get(bucket) ?? last
      if (last !== undefined) carried.push({ bucket, id, value: last })
    }
    return carried
  })
}
