import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { readEach } from '#kernel/skipped-rows.ts'
import { linksChannel } from '../../link/link-directory.ts'
import { finalUrl } from '../../link/link-url.ts'
import { type KeptLink, openLinkStore } from './link-store.ts'
import { openAccountWishes, type ShortLink, shortLink } from './short-link.ts'

export interface LinkMap {
  /** At once where the link is known; else by one statement together with all others that are looked for. */
  find(hash: string): ShortLink | undefined | Promise<ShortLink | undefined>
  /** How many are in memory. */
  count(): number
  close(): void
}

interface LinkMapOptions {
  database: Database
  listener: Listener
  /** Is told when something could not be read. */
  report(error: unknown): void
  leaveOut: LeaveOutLink
  /** How often changes that were not heard of are looked for, in milliseconds. */
  lookEvery?: number
}

/** A hash that leads nowhere, so that guessing them does not weigh on the database. */
const absentFor = 1_000
const absentRemembered = 20_000

/** Links in memory, in front of the database; kept right by announcements. */
export function openLinkMap({ database, listener, report, leaveOut, lookEvery }: LinkMapOptions): LinkMap {
  const wishes = openAccountWishes(database, report)
  const lookup = openLinkLookup(database, leaveOut)
  const store = openLinkStore()
  const absent = new Map<string, number>()
  const closing = new AbortController()
  /** What is looked up next. One lookup at a time: asking costs about the same for one as for fifty. */
  let gathered = new Map<string, Wanted>()
  let underWay: Map<string, Wanted> | undefined
  /** For everything that is being read: what was changed meanwhile, and is not to be kept as it was. */
  const changed = new Set<Set<string>>()

  const forget = (hash: string) => {
    store.forget(hash)
    absent.delete(hash)
    // Who comes after the change is not to be given what was asked before it.
    underWay?.delete(hash)
    for (const hashes of changed) hashes.add(hash)
  }
  const missed = watchMissedChanges({ database, forget, report, every: lookEvery })
  listener.on(linksChannel, (payload) => {
    if (payload === undefined) missed.look()
    if (payload === undefined || payload === '') wishes.doubt()
    else if (!payload.startsWith('host:')) forget(payload)
  })

  const read = async (reading: () => Promise<FoundLinks>) => {
    const changedMeanwhile = new Set<string>()
    changed.add(changedMeanwhile)
    try {
      const found = await reading()
      for (const [hash, link] of found.links) if (!changedMeanwhile.has(hash)) store.keep(hash, link)
      return { found, changedMeanwhile }
    } finally {
      changed.delete(changedMeanwhile)
    }
  }
  const lookUp = async (wanted: ReadonlyMap<string, Wanted>) => {
    const { found, changedMeanwhile } = await read(() => lookup.of([...wanted.keys()]))
    for (const [hash, { resolve, reject }] of wanted) {
      const link = found.links.get(hash)
      if (!link && !changedMeanwhile.has(hash)) leadsNowhere(hash)
      const met = link && meet(link)
      if (met instanceof Promise) met.then(resolve, reject)
      else resolve(met)
    }
  }
  const leadsNowhere = (hash: string) => {
    if (absent.size >= absentRemembered) absent.clear()
    absent.set(hash, performance.now() + absentFor)
  }
  const start = async () => {
    while (gathered.size > 0) {
      const wanted = gathered
      underWay = new Map(wanted)
      gathered = new Map()
      await lookUp(wanted).catch((error) => {
        for (const { reject } of wanted.values()) reject(error)
      })
    }
    underWay = undefined
  }
  const ask = (hash: string): Promise<ShortLink | undefined> => {
    const known = gathered.get(hash) ?? underWay?.get(hash)
    if (known) return known.promise
    const wanted = wantedOne()
    // At the end of the turn, so that everything that came in it goes together.
    if (gathered.size === 0 && !underWay) setImmediate(start)
    gathered.set(hash, wanted)
    return wanted.promise
  }
  const meet = (link: KeptLink): ShortLink | Promise<ShortLink> => {
    const known = wishes.known(link.account)
    return known ? shortLink(link, known) : wishes.read(link.account).then((read) => shortLink(link, read))
  }
  const page = async (after: string) => (await read(() => lookup.after(after))).found
  void preload({ page, hasRoom: store.hasRoom, report }, closing.signal)

  return {
    find(hash) {
      const link = store.get(hash)
      if (link) return meet(link)
      const until = absent.get(hash)
      if (until !== undefined) {
        if (until > performance.now()) return undefined
        absent.delete(hash)
      }
      return ask(hash)
    },
    count: store.count,
    close() {
      closing.abort()
      missed.close()
    },
  }
}

/** Links by their hashes. Those that do not exist or cannot be read are left out. */
interface FoundLinks {
  readonly links: ReadonlyMap<string, KeptLink>
  /** The hash of the last row, whether it could be read or not; none when there was no row. */
  readonly last: string | undefined
}

interface LinkLookup {
  of(hashes: readonly string[]): Promise<FoundLinks>
  /** A page of all of them in the order of their hashes, from the one after this on. */
  after(hash: string): Promise<FoundLinks>
}

/** Is told of a link whose row cannot be read. */
type LeaveOutLink = (link: string, error: unknown) => void

const columns = 'hash, account, link, long_url, params, disabled'
const byHashes = `select ${columns} from link_hashes where hash = any($1::text[])`
const pageAfter = `select ${columns} from link_hashes where hash > $1 order by hash limit 2000`

export function openLinkLookup({ shared }: Database, leaveOut: LeaveOutLink): LinkLookup {
  const read = async (text: string, value: string): Promise<FoundLinks> => {
    const { rows } = await shared.executeQuery<LinkRow>(CompiledQuery.raw(text, [value]))
    const entryOf = (row: LinkRow) => [row.hash, keptLink(row)] as const
    const links = new Map(readEach(rows, entryOf, ({ link }, error) => leaveOut(link, error)))
    return { links, last: rows.at(-1)?.hash }
  }
  return {
    // Said in the server's own words: hashes are letters and digits, and the driver looks at each value several times.
    of: (hashes) => read(byHashes, `{${hashes.join(',')}}`),
    after: (hash) => read(pageAfter, hash),
  }
}

interface PreloadOptions {
  /** The links after this hash, in the order of hashes. */
  page(after: string): Promise<FoundLinks>
  hasRoom(): boolean
  report(error: unknown): void
}

/** Reads links until all are in memory or no more have room; half of the time it leaves to others. */
async function preload({ page, hasRoom, report }: PreloadOptions, signal: AbortSignal) {
  let last: string | undefined = ''
  while (last !== undefined && hasRoom() && !signal.aborted) {
    const begun = performance.now()
    const found: FoundLinks | undefined = await page(last).catch((error) => {
      if (!signal.aborted) report(error)
      return undefined
    })
    last = found?.last
    await sleep(performance.now() - begun, undefined, { ref: false })
  }
}

interface LinkRow {
  hash: string
  account: string
  link: string
  longUrl: string
  /** As JSON. */
  params: string
  disabled: boolean
}

export const keptLink = ({ account, link, longUrl, params, disabled }: LinkRow): KeptLink => ({
  account,
  id: link,
  location: destinationOf(longUrl, params),
  disabled,
})

/** Taking an address apart costs more than looking it up; most have no query, and many links have the same parameters. */
function destinationOf(longUrl: string, params: string): string {
  return isPlainUrl(longUrl) ? longUrl + queryOf(params) : finalUrl(longUrl, JSON.parse(params))
}

const queries = new Map<string, string>()
const queriesRemembered = 10_000

function queryOf(params: string): string {
  const known = queries.get(params)
  if (known !== undefined) return known
  const base = 'https://example.com/'
  const query = finalUrl(base, JSON.parse(params)).slice(base.length)
  if (queries.size >= queriesRemembered) queries.clear()
  queries.set(params, query)
  return query
}

/**
 * Whether nothing in an address would be encoded, resolved or left out by taking it apart, and it has neither query nor fragment.
 * In one pass over each part: addresses come from outside, and this is asked of every link.
 */
function isPlainUrl(url: string): boolean {
  const { host, path } = outline.exec(url)?.groups ?? {}
  return host !== undefined && path !== undefined && isPlainHost(host) && isPlainPath(path)
}

const outline = /^https?:\/\/(?<host>[a-z0-9.-]+)(?<path>\/[\w.~/-]*)$/

/** A name of two labels or more. A label of digits alone after the first could be part of a number that stands for an address. */
function isPlainHost(host: string): boolean {
  // An encoded name may be encoded badly.
  if (host.includes('xn--')) return false
  const [first, ...others] = host.split('.')
  return first !== '' && others.length > 0 && others.every(hasLetter)
}

const hasLetter = (label: string) => /[a-z]/.test(label)

/** No part of it is empty or begins with a dot. */
const isPlainPath = (path: string) => !path.includes('//') && !path.includes('/.')

/** A link that somebody waits for. */
interface Wanted {
  readonly promise: Promise<ShortLink | undefined>
  resolve(link: ShortLink | undefined): void
  reject(error: unknown): void
}

function wantedOne(): Wanted {
  let resolve: Wanted['resolve'] = () => {}
  let reject: Wanted['reject'] = () => {}
  const promise = new Promise<ShortLink | undefined>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}

interface MissedChangesOptions {
  database: Database
  /** Is told the links that were changed lately, of many of which it knows already. */
  forget(hash: string): void
  report(error: unknown): void
  every?: number | undefined
}

interface MissedChanges {
  /** Looks now, because something may have been missed. */
  look(): void
  close(): void
}

const usually = 10_000

/**
 * Announcements are hints: a connection can be dead for minutes before anybody notices. What was changed since the last look, and a
 * minute before it because a change is dated when its transaction begins, is therefore looked for every few seconds.
 */
function watchMissedChanges({ database, forget, report, every = usually }: MissedChangesOptions): MissedChanges {
  let since: Date | undefined
  let looking = false
  let again = false
  let closed = false

  const lookOnce = async () => {
    const { rows } = await sql<{ next: Date; hashes: string[] }>`
      select now() - interval '1 minute' as next,
        array(select hash from link_hashes where changed > ${since ?? null}::timestamptz) as hashes`.execute(
      database.shared,
    )
    const [{ next, hashes } = { next: since, hashes: [] }] = rows
    for (const hash of hashes) forget(hash)
    since = next
  }
  const look = async () => {
    again = true
    if (looking) return
    looking = true
    while (again) {
      again = false
      await lookOnce().catch((error) => closed || report(error))
    }
    looking = false
  }
  void look()
  const timer = setInterval(look, every).unref()
  return {
    look: () => void look(),
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}
