import { sql } from 'kysely'
import { accountFilter } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import type { DueQuery } from '#kernel/jobs/due-accounts.ts'
import { readEach } from '#kernel/skipped-rows.ts'

/** One visit to a link, as it is written down before it is answered. */
export interface Click {
  readonly account: string
  readonly link: string
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly visitor: string
  readonly address: string
  /** From `aboutOf`. */
  readonly about: string
}

/** What is the same for very many clicks. */
interface About {
  readonly class: string
  readonly reason: string
  readonly userAgent: string
}

/** A click as it is read again. */
export type ReadClick = Omit<Click, 'about'> & About

/** In the words of the bundle, so that they are found once for all clicks that have them. */
export const aboutOf = ({ class: kind, reason, userAgent }: About) =>
  JSON.stringify({ class: kind, reason, userAgent }).slice(1)

/** What makes up the other values needs no escaping: letters, digits, and the signs of addresses. */
export function bundled(clicks: readonly Click[]): string {
  let text = ''
  for (const { link, id, at, visitor, address, about } of clicks)
    text += `,{"link":"${link}","id":"${id}","at":${at},"visitor":"${visitor}","address":"${address}",${about}`
  return `[${text.slice(1)}]`
}

/** Fails where anything in the bundle is not what a click is made of. */
export function unbundled(account: string, clicks: string): ReadClick[] {
  const read = JSON.parse(clicks) as Omit<ReadClick, 'account'>[]
  for (const click of read)
    if (!texts.every((name) => typeof click[name] === 'string') || Number.isNaN(new Date(click.at).getTime()))
      throw new Error('The bundle holds something that is no click.')
  return read.map((click) => ({ ...click, account }))
}

const texts = ['link', 'id', 'visitor', 'address', 'class', 'reason', 'userAgent'] as const

/** Those of each account, in their order. */
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

/** Clicks of an account that are written down and not counted yet. They are counted all together. */
export interface WaitingBundle {
  readonly number: number
  readonly account: string
  readonly clicks: readonly ReadClick[]
}

/** How many clicks are counted together, or a few more: bundles are counted whole. */
export const atOnce = 2_000

/** All of them are to be counted at once. */
export const bundledClicks: DueQuery = (until) =>
  sql`select account, '' as kind, ${until}::timestamptz as due from click_bundles`

/**
 * Bundles of these accounts, those first that have waited longest: some of each account, and more of those who have more, but none that is
 * set aside. One that cannot be read is left out and told of.
 */
export async function waitingBundles(
  shared: Db,
  accounts: readonly string[],
  aside: readonly number[],
  failed: (bundle: number, error: unknown) => void,
): Promise<WaitingBundle[]> {
  const { rows } = await sql<BundleRow>`
    with own as (
      select longest.*, sum(size) over (partition by longest.account order by number) - size as before
      from unnest(${accounts}::text[]) as asked (owner)
      cross join lateral (
        select account, number, size from click_bundles
        where ${accountFilter(accounts)} and account = owner and number <> all (${aside}::bigint[])
        order by number limit ${atOnce}) longest),
    first as (
      select account, number from (select account, number, sum(size) over (order by before, number) - size as together from own) all_of_them
      where together < ${atOnce})
    select b.number, b.account, b.clicks from first cross join lateral (
      select number, account, clicks from click_bundles
      where ${accountFilter(accounts)} and account = first.account and number = first.number) b
    order by b.number`.execute(shared)
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
    delete from click_bundles where account = ${account} and number = any (${bundles.map(({ number }) => number)}::bigint[])
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
    select number, account, clicks from (
      select number, account, clicks from click_bundles where account = ${account} order by number desc limit ${newest}) b
    where (${has(click)}) or (${has(visitor)})`.execute(shared)
  // One that cannot be read is never counted: nobody is to wait for it.
  const bundles = readEach(rows, bundleOf, () => {})
  return bundles.some(({ clicks }) =>
    clicks.some((one) => (click !== '' && one.id === click) || (visitor !== '' && one.visitor === visitor)),
  )
}
