import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { defaultBatchLimits, distinctAccounts } from '#kernel/database/across-accounts.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import { tryLock } from '#kernel/database/locks.ts'
import { createScan } from '#kernel/jobs/due-accounts.ts'
import type { Log } from '#kernel/log.ts'
import { defaultPollingIntervals } from '#kernel/polling-intervals.ts'
import { isAboutValues, skipRow } from '#kernel/skipped-rows.ts'
import { type ClickClass, clickClasses } from './click.ts'
import {
  byAccount,
  clicksPerBatch,
  dueClickBatches,
  type PendingBatch,
  pendingBatches,
  type ReadClick,
  takeBatches,
} from './click-bundle.ts'
import { authorOf, type CountsFor, incrementsOf } from './click-counters.ts'
import { type Geo, type Location, nowhere } from './geo.ts'

interface CountingInstallation {
  database: Database
  geo: Geo
  log: Log
}

/**
 * Counts queued clicks of one account and returns their number. In one transaction: a click leaves the queue exactly when it is
 * stored and in every counter. One process counts an account at a time, so that none misses a click just counted by another;
 * a second one counts nothing.
 */
export async function countClicks(
  { database, geo, log }: CountingInstallation,
  account: string,
  batches: readonly PendingBatch[],
) {
  const locations = await locationsOf(
    geo,
    batches.flatMap(({ clicks }) => clicks),
  )
  return database.transaction(account, async (db) => {
    if (!(await tryLock(db, 'clicksOfAccount', account))) return 0
    const taken = await takeBatches(db, account, batches)
    taken.sort((one, other) => one.at - other.at)
    const links = await linksOf(db, account, taken)
    const known = taken.filter(({ link }) => links.has(link))
    if (known.length < taken.length) {
      const deletedLinks = [...new Set(taken.map(({ link }) => link).filter((link) => !links.has(link)))]
      log.warn(
        { account, links: deletedLinks, clicks: taken.length - known.length },
        'clicks on links that are gone are dropped',
      )
    }
    const repeated = await repeatedClicks(db, account, known)
    const rows = known.map((click) => rowOf(click, links.get(click.link) as Link, repeated, locations))
    const added = await insertClicks(db, account, rows)
    const counted = rows.filter((row) => row.class === 'human' && added.has(row.id))
    await incrementCounters(
      { db, accountId: account },
      counted.flatMap((row) => {
        const { shareId, countsFor, author: postAuthor } = links.get(row.linkId) as Link
        const author = authorOf(postAuthor, countsFor)
        return incrementsOf('clicks', row.created, {
          accountId: account,
          ...row,
          author,
          isBoard: shareId !== '',
          countsFor,
        })
      }),
    )
    return taken.length
  })
}

async function locationsOf(geo: Geo, clicks: readonly ReadClick[]): Promise<Map<string, Location>> {
  const locations = new Map<string, Location>()
  // Uncounted clicks need no location.
  for (const click of clicks) if (click.class === 'human') locations.set(click.address, await geo(click.address))
  return locations
}

interface Link {
  id: string
  campaignId: string
  messageId: string
  postId: string
  credentialId: string
  network: string
  shareId: string
  countsFor: CountsFor
  /** Author of the post. */
  author: string | null
}

async function linksOf(db: Db, account: string, clicks: readonly ReadClick[]): Promise<Map<string, Link>> {
  const ids = [...new Set(clicks.map(({ link }) => link))]
  const { rows } = await sql<Link>`
    select l.id, l.campaign_id, l.message_id, l.post_id, l.credential_id, l.network, l.share_id, l.counts_for, p.created_by as author
    from links l left join posts p on p.account_id = ${account} and p.id = l.post_id
    where l.account_id = ${account} and l.id = any (${ids})`.execute(db)
  return new Map(rows.map((link) => [link.id, link]))
}

function rowOf(
  click: ReadClick,
  link: Link,
  repeated: ReadonlySet<ReadClick>,
  locations: ReadonlyMap<string, Location>,
) {
  const isRepeated = repeated.has(click)
  const { id: linkId, shareId: _share, countsFor: _counts, author: _author, ...copied } = link
  return {
    id: click.id,
    created: new Date(click.at),
    linkId,
    ...copied,
    visitorId: click.visitor,
    userAgent: click.userAgent,
    class: isRepeated ? ('duplicate' as const) : classOf(click.class),
    reason: isRepeated ? 'The visitor clicked less than 30 seconds before or after.' : click.reason,
    ...(isRepeated ? nowhere : (locations.get(click.address) ?? nowhere)),
  }
}

/** Unknown classes don't count. */
const classOf = (given: string): ClickClass => clickClasses.find((known) => known === given) ?? 'bot'

async function insertClicks(db: Db, account: string, rows: readonly ReturnType<typeof rowOf>[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const { rows: added } = await sql<{ id: string }>`
    insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network,
      class, reason, visitor_id, user_agent, country, city, organization, longitude, latitude)
    select ${account}, c.* from json_to_recordset(${JSON.stringify(rows)}::json) as c (id text, created timestamptz,
      "linkId" text, "campaignId" text, "messageId" text, "postId" text, "credentialId" text, network text,
      class text, reason text, "visitorId" text, "userAgent" text, country text, city text, organization text,
      longitude real, latitude real)
    on conflict do nothing returning id`.execute(db)
  return new Set(added.map(({ id }) => id))
}

const repeatWindow = 30_000

interface CountedClick {
  visitor: string
  link: string
  at: Date
}

/**
 * Clicks of the same visitor on the same link within 30 seconds of a counted one, independent of processing order. The clicks
 * are sorted by time.
 */
async function repeatedClicks(db: Db, accountId: string, clicks: readonly ReadClick[]) {
  const people = clicks.filter((click) => click.class === 'human' && click.visitor !== '')
  const counted = new Map<string, number[]>()
  const timesOf = ({ visitor, link }: Omit<CountedClick, 'at'>) => {
    const key = `${visitor} ${link}`
    const times = counted.get(key) ?? []
    counted.set(key, times)
    return times
  }
  for (const click of await countedAround(db, accountId, people)) timesOf(click).push(click.at.getTime())
  const repeated = new Set<ReadClick>()
  for (const click of people) {
    const { at } = click
    const times = timesOf(click)
    if (times.some((time) => Math.abs(time - at) < repeatWindow)) repeated.add(click)
    else times.push(at)
  }
  return repeated
}

/** Counted clicks of these visitors shortly before, during and after. */
async function countedAround(db: Db, accountId: string, clicks: readonly ReadClick[]): Promise<CountedClick[]> {
  const [first, last] = [clicks[0], clicks.at(-1)]
  if (!first || !last) return []
  const visitors = [...new Set(clicks.map(({ visitor }) => visitor))]
  const [from, to] = [new Date(first.at - repeatWindow), new Date(last.at + repeatWindow)]
  const { rows } = await sql<CountedClick>`
    select v.visitor, c.link, c.at from unnest(${visitors}::text[]) as v (visitor) cross join lateral (
      select link_id as link, created as at from clicks
      where account_id = ${accountId} and class = 'human' and visitor_id = v.visitor and created > ${from} and created < ${to}) c`.execute(
    db,
  )
  return rows
}

interface ClickCounter {
  /** Takes no more clicks and finishes the current ones. */
  stop(): Promise<void>
}

/** How long an account whose clicks can't be counted is skipped, so that it doesn't block others. */
const afterFailure = 5_000
/** Clicks are due immediately. */
const beginning = new Date(0)

/** Counts clicks until it is stopped. Any number of processes may run it. */
export function startClickCounter(
  installation: CountingInstallation,
  intervals = defaultPollingIntervals.clicks,
  limits = defaultBatchLimits,
): ClickCounter {
  const { database, log } = installation
  const findDue = createScan(database.shared, dueClickBatches, limits.trackedAccounts)
  const stopping = new AbortController()
  const accounts = openSkipped<string>(afterFailure)
  const skippedBatches = openSkipped<number>(intervals.poisoned)

  const skipBatch = (number: number, error: unknown) => {
    skippedBatches.add(number)
    skipRow(log, { kind: 'bundle of clicks', id: String(number) }, error)
  }
  const count = async (account: string, waiting: readonly PendingBatch[]): Promise<number> => {
    const [first] = waiting
    if (!first || stopping.signal.aborted) return 0
    try {
      return await countClicks(installation, account, waiting)
    } catch (error) {
      if (!isAboutValues(error)) throw error
      // Bisects until the faulty batch is isolated.
      const half = Math.floor(waiting.length / 2)
      if (half > 0) return (await count(account, waiting.slice(0, half))) + (await count(account, waiting.slice(half)))
      skipBatch(first.number, error)
      return 0
    }
  }
  const countAll = async (account: string, own: readonly PendingBatch[]): Promise<number> => {
    try {
      return await count(account, own)
    } catch (error) {
      accounts.add(account)
      log.error({ err: error, account, bundles: own.length }, 'counting clicks failed')
      return 0
    }
  }
  /** Counts some clicks of each account. Returns whether there are more and progress is made. */
  const countSome = async (some: readonly string[]): Promise<boolean> => {
    const waiting = await pendingBatches(database.shared, some, skippedBatches.now(), skipBatch)
    let counted = 0
    for (const [account, own] of byAccount(waiting)) counted += await countAll(account, own)
    return counted > 0 && waiting.reduce((sum, { clicks }) => sum + clicks.length, 0) >= clicksPerBatch
  }
  /** Returns the delay before the next pass. */
  const pass = async (): Promise<number> => {
    const skipped = new Set(accounts.now())
    const found = (await findDue(beginning)).get('') ?? []
    const waiting = distinctAccounts(found).filter((account) => !skipped.has(account))
    let isMore = false
    for (let from = 0; from < waiting.length; from += limits.accountsPerStatement)
      isMore = (await countSome(waiting.slice(from, from + limits.accountsPerStatement))) || isMore
    if (isMore) return 0
    return waiting.length > 0 ? intervals.busy : intervals.idle
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      const wait = await pass().catch((error) => {
        log.error({ err: error }, 'looking for clicks failed')
        return intervals.idle
      })
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Keys skipped for a while. */
function openSkipped<Key>(time: number) {
  const all = new Map<Key, number>()
  return {
    add: (key: Key) => void all.set(key, performance.now() + time),
    now(): Key[] {
      for (const [key, until] of all) if (until <= performance.now()) all.delete(key)
      return [...all.keys()]
    },
  }
}
