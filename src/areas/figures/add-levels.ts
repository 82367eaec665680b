import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { quarter } from './add-facts.ts'
import type { LevelName } from './figure.ts'

/** How high something stood at a moment: the followers of a profile. */
export interface Level {
  name: LevelName
  at: Date
  profile: string
  value: number
}

/** Notes levels. Of each quarter of an hour the last is kept, in whatever order they are told. */
export async function addLevels({ db, accountId }: Pick<Context, 'db' | 'accountId'>, levels: readonly Level[]) {
  const last = new Map<string, Level & { quarter: Date }>()
  for (const level of levels) {
    const begin = new Date(Math.floor(level.at.getTime() / quarter) * quarter)
    const key = [level.profile, level.name, begin.toISOString()].join(' ')
    if ((last.get(key)?.at ?? level.at) <= level.at) last.set(key, { ...level, quarter: begin })
  }
  const rows = [...last].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  if (rows.length === 0) return
  const noting = sql`
    insert into levels as l (account_id, of_kind, of_id, name, quarter, value, at)
    select ${accountId}, 'profile', n.* from unnest(${rows.map(({ profile }) => profile)}::text[], ${rows.map(({ name }) => name)}::text[],
      ${rows.map((row) => row.quarter)}::timestamptz[], ${rows.map(({ value }) => value)}::bigint[], ${rows.map(({ at }) => at)}::timestamptz[]) as n
    on conflict (account_id, of_kind, of_id, name, quarter) do update set
      value = case when excluded.at >= l.at then excluded.value else l.value end, at = greatest(l.at, excluded.at)
    returning 1`
  await later(db, noting)
}
