import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { type ReadClick, unbundled } from './click-bundle.ts'

/** Clicks of an account that are written down and not counted yet. They are counted all together. */
export interface WaitingBundle {
  readonly number: number
  readonly account: string
  readonly clicks: readonly ReadClick[]
}

/** How many clicks are counted together, or a few more: bundles are counted whole. */
export const atOnce = 2_000

/** Those that have waited longest, without those of accounts that cannot be counted at the moment. */
export async function waitingBundles(shared: Db, without: readonly string[]): Promise<WaitingBundle[]> {
  const { rows } = await sql<{ number: number; account: string; clicks: string }>`
    select number, account, clicks from (
      select number, account, clicks, sum(size) over (order by number) - size as before
      from (select * from click_bundles where account <> all (${without}::text[]) order by number limit ${atOnce}) longest) b
    where before < ${atOnce} order by number`.execute(shared)
  return rows.map(({ number, account, clicks }) => ({ number, account, clicks: unbundled(account, clicks) }))
}

/** Takes bundles of an account out of those that wait, and gives the clicks in them; what somebody else has taken is not among them. */
export async function takeWaiting(db: Db, account: string, bundles: readonly WaitingBundle[]): Promise<ReadClick[]> {
  const { rows } = await sql<{ number: number }>`
    delete from click_bundles where number = any (${bundles.map(({ number }) => number)}::bigint[]) and account = ${account}
    returning number`.execute(db)
  const taken = new Set(rows.map(({ number }) => number))
  return bundles.filter(({ number }) => taken.has(number)).flatMap(({ clicks }) => clicks)
}

/** Among how many of the newest bundles a click is looked for: more than come in while a page is loading. */
const newest = 1_000

/** Whether a click, or any click of a visitor, still waits to be counted. */
export async function isWaiting(shared: Db, account: string, { click, visitor }: { click: string; visitor: string }) {
  // What is not in the text at all, as nearly always, is not looked for among its parts.
  const has = (name: string, value: string) => sql`${value} <> '' and strpos(b.clicks, ${value}) > 0 and exists (
    select from json_array_elements(b.clicks::json) c where c ->> ${name} = ${value})`
  const { rows } = await sql<{ waits: boolean }>`
    select exists (
      select from (select account, clicks from click_bundles order by number desc limit ${newest}) b
      where b.account = ${account} and ((${has('id', click)}) or (${has('visitor', visitor)}))) as waits`.execute(
    shared,
  )
  return rows[0]?.waits ?? false
}
