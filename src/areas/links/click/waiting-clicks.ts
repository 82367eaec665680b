import { sql } from 'kysely'
import type { Db } from '#kernel/database/database.ts'
import { readEach } from '#kernel/unreadable.ts'
import { type ReadClick, unbundled } from './click-bundle.ts'

/** Clicks of an account that are written down and not counted yet. They are counted all together. */
export interface WaitingBundle {
  readonly number: number
  readonly account: string
  readonly clicks: readonly ReadClick[]
}

/** How many clicks are counted together, or a few more: bundles are counted whole. */
export const atOnce = 2_000

/** What is not to be counted at the moment, so that it holds up nobody else. */
export interface SetAside {
  readonly accounts: readonly string[]
  readonly bundles: readonly number[]
}

/** Those that have waited longest. One that cannot be read is left out and told of. */
export async function waitingBundles(
  shared: Db,
  { accounts, bundles }: SetAside,
  failed: (bundle: number, error: unknown) => void,
): Promise<WaitingBundle[]> {
  const { rows } = await sql<BundleRow>`
    select number, account, clicks from (
      select number, account, clicks, sum(size) over (order by number) - size as before
      from (select * from click_bundles where account <> all (${accounts}::text[]) and number <> all (${bundles}::bigint[])
        order by number limit ${atOnce}) longest) b
    where before < ${atOnce} order by number`.execute(shared)
  return readEach(rows, bundleOf, ({ number }, error) => failed(number, error))
}

interface BundleRow {
  number: number
  account: string
  clicks: string
}

const bundleOf = ({ number, account, clicks }: BundleRow): WaitingBundle => {
  return { number, account, clicks: unbundled(account, clicks) }
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
  const has = (value: string) => sql`${value} <> '' and strpos(b.clicks, ${value}) > 0`
  const { rows } = await sql<BundleRow>`
    select number, account, clicks from (select * from click_bundles order by number desc limit ${newest}) b
    where b.account = ${account} and ((${has(click)}) or (${has(visitor)}))`.execute(shared)
  // One that cannot be read is never counted: nobody is to wait for it.
  const bundles = readEach(rows, bundleOf, () => {})
  return bundles.some(({ clicks }) =>
    clicks.some((one) => (click !== '' && one.id === click) || (visitor !== '' && one.visitor === visitor)),
  )
}
