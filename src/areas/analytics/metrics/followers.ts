import { sql } from 'kysely'
import { get as requireCredential } from '#areas/profiles/credential/credential.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { FollowersAsked } from './metrics-shape.ts'

const day = 24 * 60 * 60 * 1000

/** Days of a range with recorded followers; there are none before the profile was connected. */
export async function followersOf(context: Context, { id, toDate = context.now, fromDate }: FollowersAsked) {
  const { db, accountId } = context
  await requireCredential(context, { id })
  const from = dayOf(fromDate ?? new Date(toDate.getTime() - 29 * day))
  const to = dayOf(toDate)
  if (from > to) throw invalid('fromDate must not lie after toDate.')
  const ofProfile = (
    level: string,
  ) => sql`${sql.id(level)}.account_id = ${accountId} and ${sql.id(level)}.of_kind = 'profile'
    and ${sql.id(level)}.of_id = ${id} and ${sql.id(level)}.name = 'followers'`
  const { rows } = await sql<{ day: string; followers: number }>`
    select distinct on (day) (l.quarter at time zone 'UTC')::date::text as day, l.value as followers from levels l
    where ${ofProfile('l')} and l.quarter < ${to}::date + interval '1 day' and l.quarter >= coalesce(
      (select max(b.quarter) from levels b where ${ofProfile('b')} and b.quarter < ${from}::date), ${from}::date)
    order by day, l.quarter desc`.execute(db)
  const days = rows.map((row, index) => ({
    followers: row.followers,
    // Since the last known day.
    followersAdded: row.followers - (rows[index - 1]?.followers ?? row.followers),
    historyDate: new Date(`${row.day}T00:00:00Z`),
    day: row.day,
  }))
  return { data: days.filter((one) => one.day >= from) }
}

/** The database has no year zero, and there are no followers before 1970. */
const dayOf = (moment: Date) => new Date(Math.max(0, moment.getTime())).toISOString().slice(0, 10)
