import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { job } from '#kernel/jobs/job.ts'
import type { BudgetWindow, Purpose } from '#networks/connector/budget.ts'
import { windowAt } from '#networks/connector/budget.ts'
import type { Usage } from '#networks/connector/network-app.ts'

/** The usage of a budget on one day for one purpose. */
export interface UsageRow {
  network: string
  budget: string
  period: Date
  purpose: Purpose
  used: number
}

/** Adds usage in one statement, ordered by key, so that concurrent processes cannot deadlock. */
export async function addUsage(db: Db, rows: readonly UsageRow[]) {
  if (rows.length === 0) return
  const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const column = <Value>(read: (row: UsageRow) => Value) => sorted.map(read)
  await sql`
    insert into network_usage (network, budget, period, purpose, used)
    select * from unnest(${column((row) => row.network)}::text[], ${column((row) => row.budget)}::text[],
      ${column((row) => row.period)}::timestamptz[], ${column((row) => row.purpose)}::text[], ${column((row) => row.used)}::bigint[])
    on conflict (network, budget, period, purpose) do update set used = network_usage.used + excluded.used`.execute(db)
}

const keyOf = ({ network, budget, period, purpose }: UsageRow) =>
  `${network} ${budget} ${period.toISOString()} ${purpose}`

/** The total usage of all processes since the start of each window. */
export async function readUsage(db: Db, windows: readonly { network: string; budget: string; start: Date }[]) {
  const { rows } = await sql<{ network: string; budget: string; used: string }>`
    select u.network, u.budget, sum(u.used) as used from network_usage u
    join unnest(${windows.map(({ network }) => network)}::text[], ${windows.map(({ budget }) => budget)}::text[],
      ${windows.map(({ start }) => start)}::timestamptz[]) as w (network, budget, start)
      on u.network = w.network and u.budget = w.budget and u.period >= w.start
    group by u.network, u.budget`.execute(db)
  return rows.map(({ network, budget, used }) => ({ network, budget, used: Number(used) }))
}

/** By day and purpose. */
export async function readDays(db: Db, since: Date): Promise<UsageRow[]> {
  const rows = await db
    .selectFrom('networkUsage')
    .selectAll()
    .where('period', '>=', since)
    .orderBy('network')
    .orderBy('budget')
    .orderBy('period')
    .execute()
  return rows.map((row) => ({ ...row, purpose: row.purpose as Purpose, used: Number(row.used) }))
}

/** A pause of a budget and its end. */
export interface PauseRow {
  network: string
  scope: Usage['scope']
  holder: string
  until: Date
}

export async function addPauses(db: Db, rows: readonly PauseRow[]) {
  if (rows.length === 0) return
  const key = ({ network, scope, holder }: PauseRow) => `${network} ${scope} ${holder}`
  const sorted = rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
  await sql`
    insert into network_pauses (network, scope, holder, until)
    select * from unnest(${sorted.map(({ network }) => network)}::text[], ${sorted.map(({ scope }) => scope)}::text[],
      ${sorted.map(({ holder }) => holder)}::text[], ${sorted.map(({ until }) => until)}::timestamptz[])
    on conflict (network, scope, holder) do update set until = greatest(network_pauses.until, excluded.until)`.execute(
    db,
  )
}

export async function readPauses(db: Db, now: Date): Promise<PauseRow[]> {
  const rows = await db.selectFrom('networkPauses').selectAll().where('until', '>', now).execute()
  return rows.map((row) => ({ ...row, scope: row.scope as PauseRow['scope'] }))
}

/** The number of profiles that share each network's app. */
export async function countProfiles(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ network: string; profiles: number }>`
    select network, count(distinct remote_id)::int as profiles from push_addresses group by network`.execute(db)
  return new Map(rows.map(({ network, profiles }) => [network, profiles]))
}

const keptMonths = 13

/** Deletes usage older than a year and expired pauses. */
export const forgetNetworkUseJob = job<Record<string, never>>('profiles.forget-network-use', {
  queue: 'housekeeping',
  async run({ shared, now }) {
    const before = new Date(now)
    before.setUTCMonth(before.getUTCMonth() - keptMonths)
    await shared.deleteFrom('networkUsage').where('period', '<', before).execute()
    await shared.deleteFrom('networkPauses').where('until', '<', now).execute()
  },
})

/** The day under which usage is stored, in the time zone of the budget. */
export const periodOf = (window: BudgetWindow, at: Date) =>
  windowAt(window === 'pacificDay' ? 'pacificDay' : 'day', at).start
