import { sql } from 'kysely'
import { accountFilter } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import type { DueQuery } from '#kernel/jobs/due-accounts.ts'
import { readEach } from '#kernel/skipped-rows.ts'

/** A visit to a link, as stored before the response. */
export interface Click {
  readonly account: string
  readonly link: string
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly visitor: string
  readonly address: string
  /** From `aboutOf`. */
  readonly about: string
}

/** Values shared by many clicks. */
interface About {
  readonly class: string
  readonly reason: string
  readonly userAgent: string
}

export type ReadClick = Omit<Click, 'about'> & About

/** Serialized, so that it is computed once for all clicks that share it. */
export const aboutOf = ({ class: kind, reason, userAgent }: About) =>
  JSON.stringify({ class: kind, reason, userAgent }).slice(1)

/** Other values need no escaping: letters, digits, and characters of URLs. */
export function packClicks(clicks: readonly Click[]): string {
  let text = ''
  for (const { link, id, at, visitor, address, about } of clicks)
    text += `,{"link":"${link}","id":"${id}","at":${at},"visitor":"${visitor}","address":"${address}",${about}`
  return `[${text.slice(1)}]`
}

/** Throws on malformed batches. */
export function unpackClicks(account: string, clicks: string): ReadClick[] {
  const read = JSON.parse(clicks) as Omit<ReadClick, 'account'>[]
  for (const click of read)
    if (!texts.every((name) => typeof click[name] === 'string') || Number.isNaN(new Date(click.at).getTime()))
      throw new Error('The bundle holds something that is no click.')
  return read.map((click) => ({ ...click, account }))
}

const texts = ['link', 'id', 'visitor', 'address', 'class', 'reason', 'userAgent'] as const

/** Grouped by account, in order. */
export function byAccount<Of extends { readonly account: string }>(clicks: readonly Of[]): Map<string, readonly Of[]> {
  const [first] = clicks
  if (first && clicks.every(({ account }) => account === first.account)) return new Map([[first.account, clicks]])
  const accounts = new Map<string, Of[]>()
  for (const click of clicks) {
    const own = accounts.get(click.account)
    if (own) own.push(click)
    else accounts.set(click.account, [click])
  }
  return accounts
}

/** Stored clicks of an account that aren't counted yet. A batch is counted as a whole. */
export interface PendingBatch {
  readonly number: number
  readonly account: string
  readonly clicks: readonly ReadClick[]
}

/** Clicks counted together, approximately: batches are counted whole. */
export const clicksPerBatch = 2_000

export const dueClickBatches: DueQuery = (until) =>
  sql`select account, '' as kind, ${until}::timestamptz as due from click_batches`

/**
 * Batches of these accounts, oldest first: some of each account, and more of accounts with more, except those set aside.
 * Unreadable ones are skipped and reported.
 */
export async function pendingBatches(
  shared: Db,
  accounts: readonly string[],
  aside: readonly number[],
  failed: (batch: number, error: unknown) => void,
): Promise<PendingBatch[]> {
  const { rows } = await sql<BatchRow>`
    with own as (
      select longest.*, sum(size) over (partition by longest.account order by number) - size as before
      from unnest(${accounts}::text[]) as asked (owner)
      cross join lateral (
        select account, number, size from click_batches
        where ${accountFilter(accounts)} and account = owner and number <> all (${aside}::bigint[])
        order by number limit ${clicksPerBatch}) longest),
    first as (
      select account, number from (select account, number, sum(size) over (order by before, number) - size as together from own) all_of_them
      where together < ${clicksPerBatch})
    select b.number, b.account, b.clicks from first cross join lateral (
      select number, account, clicks from click_batches
      where ${accountFilter(accounts)} and account = first.account and number = first.number) b
    order by b.number`.execute(shared)
  return readEach(rows, batchOf, ({ number }, error) => failed(number, error))
}

interface BatchRow {
  number: number
  account: string
  clicks: string
}

const batchOf = ({ number, account, clicks }: BatchRow): PendingBatch => {
  return { number, account, clicks: unpackClicks(account, clicks) }
}

/** Deletes batches of an account from the queue and returns their clicks; batches taken concurrently are missing. */
export async function takeBatches(db: Db, account: string, batches: readonly PendingBatch[]): Promise<ReadClick[]> {
  const { rows } = await sql<{ number: number }>`
    delete from click_batches where account = ${account} and number = any (${batches.map(({ number }) => number)}::bigint[])
    returning number`.execute(db)
  const taken = new Set(rows.map(({ number }) => number))
  return batches.filter(({ number }) => taken.has(number)).flatMap(({ clicks }) => clicks)
}

/** Number of newest batches searched for a click: more than arrive while a page loads. */
const newest = 1_000

/** Whether a click, or any click of a visitor, is not counted yet. */
export async function isWaiting(shared: Db, account: string, { click, visitor }: { click: string; visitor: string }) {
  // A substring test first, since the value is nearly always absent.
  const has = (value: string) => sql`${value} <> '' and strpos(b.clicks, ${value}) > 0`
  const { rows } = await sql<BatchRow>`
    select number, account, clicks from (
      select number, account, clicks from click_batches where account = ${account} order by number desc limit ${newest}) b
    where (${has(click)}) or (${has(visitor)})`.execute(shared)
  // Unreadable batches are never counted, so nothing should wait for them.
  const batches = readEach(rows, batchOf, () => {})
  return batches.some(({ clicks }) =>
    clicks.some((one) => (click !== '' && one.id === click) || (visitor !== '' && one.visitor === visitor)),
  )
}
