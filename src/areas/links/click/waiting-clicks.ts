import { type Selectable, sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import type { ClickIntake } from '#kernel/database/tables.ts'

export type WaitingClick = Selectable<ClickIntake>

/** How many are counted together. */
export const atOnce = 2_000

/** The clicks that have waited longest, without those of accounts that cannot be counted at the moment. */
export const waitingClicks = (shared: Db, without: readonly string[]) =>
  shared
    .selectFrom('clickIntake')
    .selectAll()
    .$if(without.length > 0, (rows) => rows.where('account', 'not in', [...without]))
    .orderBy('number')
    .limit(atOnce)
    .execute()

/** Takes clicks of an account out of those that wait; those that somebody else has taken are not among what is given. */
export async function takeWaiting(db: Db, account: string, clicks: readonly WaitingClick[]): Promise<WaitingClick[]> {
  const { rows } = await sql<{ number: number }>`
    delete from click_intake where number = any (${clicks.map(({ number }) => number)}::bigint[]) and account = ${account}
    returning number`.execute(db)
  const taken = new Set(rows.map(({ number }) => number))
  return clicks.filter(({ number }) => taken.has(number))
}

/** Among how many of the newest a click is looked for: more than come in while a page is loading. */
const newest = 10_000

/** Whether a click, or any click of a visitor, still waits to be counted. */
export async function isWaiting(shared: Db, account: string, { click, visitor }: { click: string; visitor: string }) {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (
      select from (select account, click, visitor from click_intake order by number desc limit ${newest}) i
      where i.account = ${account} and (i.click = ${click} or (i.visitor = ${visitor} and i.visitor <> ''))) as waits`.execute(
    shared,
  )
  return rows[0]?.waits ?? false
}
