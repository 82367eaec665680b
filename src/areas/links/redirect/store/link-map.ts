import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { readEach } from '#kernel/skipped-rows.ts'
import { linksChannel } from '../../link/link.ts'
import { finalUrl } from '../../link/link-url.ts'
import { type CachedLink, openLinkStore } from './link-store.ts'
import { openAccountSettings, type ShortLink, shortLink } from './short-link.ts'

export interface LinkMap {
  /** Synchronous if cached; otherwise batched into one query. */
  find(hash: string): ShortLink | undefined | Promise<ShortLink | undefined>
  /** Number of cached links. */
  count(): number
  close(): void
}

interface LinkMapOptions {
  database: Database
  listener: Listener
  /** Receives read errors. */
  report(error: unknown): void
  skipLink: SkipLink
  /** Interval in milliseconds for finding missed changes. */
  checkEvery?: number
}

/** Unknown hashes are cached, so that guessing them doesn't load the database. */
const absentFor = 1_000
const mostAbsent = 20_000

/** Cache of links in front of the database, invalidated by notifications. */
export function openLinkMap({ database, listener, report, skipLink, checkEvery }: LinkMapOptions): LinkMap {
  const settings = openAccountSettings(database, report)
  const lookup = openLinkLookup(database, skipLink)
  const store = openLinkStore()
  const absent = new Map<string, number>()
  const closing = new AbortController()
  /** The next batch. One query at a time: fifty cost about as much as one. */
  let gathered = new Map<string, PendingLookup>()
  let pendingLookups: Map<string, PendingLookup> | undefined
  /** Hashes changed while being read, which must not be cached. */
  const changed = new Set<Set<string>>()

  const forget = (hash: string) => {
    store.delete(hash)
    absent.delete(hash)
    // Requests after a change must not join a query started before it.
    pendingLookups?.delete(hash)
    for (const hashes of changed) hashes.add(hash)
  }
  const missed = watchMissedChanges({ database, forget, report, every: checkEvery })
  listener.on(linksChannel, (payload) => {
    if (payload === undefined) missed.check()
    if (payload === undefined || payload === '') settings.invalidate()
    else if (!payload.startsWith('host:')) forget(payload)
  })

  const read = async (query: () => Promise<FoundLinks>) => {
    const changedMeanwhile = new Set<string>()
    changed.add(changedMeanwhile)
    try {
      const found = await query()
      for (const [hash, link] of found.links) if (!changedMeanwhile.has(hash)) store.set(hash, link)
      return { found, changedMeanwhile }
    } finally {
      changed.delete(changedMeanwhile)
    }
  }
  const lookUp = async (pending: ReadonlyMap<string, PendingLookup>) => {
    const { found, changedMeanwhile } = await read(() => lookup.of([...pending.keys()]))
    for (const [hash, { resolve, reject }] of pending) {
      const link = found.links.get(hash)
      if (!link && !changedMeanwhile.has(hash)) cacheAbsent(hash)
      const result = link && withSettings(link)
      if (result instanceof Promise) result.then(resolve, reject)
      else resolve(result)
    }
  }
  const cacheAbsent = (hash: string) => {
    if (absent.size >= mostAbsent) absent.clear()
    absent.set(hash, performance.now() + absentFor)
  }
  const start = async () => {
    while (gathered.size > 0) {
      const pending = gathered
      pendingLookups = new Map(pending)
      gathered = new Map()
      await lookUp(pending).catch((error) => {
        for (const { reject } of pending.values()) reject(error)
      })
    }
    pendingLookups = undefined
  }
  const runQuery = (hash: string): Promise<ShortLink | undefined> => {
    const known = gathered.get(hash) ?? pendingLookups?.get(hash)
    if (known) return known.promise
    const pending = newPendingLookup()
    // At the end of the event loop turn, so that all of its lookups share a query.
    if (gathered.size === 0 && !pendingLookups) setImmediate(start)
    gathered.set(hash, pending)
    return pending.promise
  }
  const withSettings = (link: CachedLink): ShortLink | Promise<ShortLink> => {
    const known = settings.cached(link.account)
    return known ? shortLink(link, known) : settings.read(link.account).then((read) => shortLink(link, read))
  }
  const page = async (after: string) => (await read(() => lookup.after(after))).found
  void preload({ page, hasRoom: store.hasRoom, report }, closing.signal)

  return {
    find(hash) {
      const link = store.get(hash)
      if (link) return withSettings(link)
      const until = absent.get(hash)
      if (until !== undefined) {
        if (until > performance.now()) return undefined
        absent.delete(hash)
      }
      return runQuery(hash)
    },
    count: store.count,
    close() {
      closing.abort()
      missed.close()
    },
  }
}

/** Links by hash, without missing and unreadable ones. */
interface FoundLinks {
  readonly links: ReadonlyMap<string, CachedLink>
  /** Hash of the last row, readable or not; undefined without rows. */
  readonly last: string | undefined
}

interface LinkLookup {
  of(hashes: readonly string[]): Promise<FoundLinks>
  /** A page ordered by hash, after this one. */
  after(hash: string): Promise<FoundLinks>
}

/** Receives unreadable rows. */
type SkipLink = (link: string, error: unknown) => void

const columns = 'hash, account, link, long_url, params, disabled'
const byHashes = `select ${columns} from link_hashes where hash = any($1::text[])`
const pageAfter = `select ${columns} from link_hashes where hash > $1 order by hash limit 2000`

export function openLinkLookup({ shared }: Database, skipLink: SkipLink): LinkLookup {
  const read = async (text: string, value: string): Promise<FoundLinks> => {
    const { rows } = await shared.executeQuery<LinkRow>(CompiledQuery.raw(text, [value]))
    const entryOf = (row: LinkRow) => [row.hash, cachedLink(row)] as const
    const links = new Map(readEach(rows, entryOf, ({ link }, error) => skipLink(link, error)))
    return { links, last: rows.at(-1)?.hash }
  }
  return {
    // As an array literal: hashes are alphanumeric, and the driver would process each value several times.
    of: (hashes) => read(byHashes, `{${hashes.join(',')}}`),
    after: (hash) => read(pageAfter, hash),
  }
}

interface PreloadOptions {
  /** Links after this hash, ordered by hash. */
  page(after: string): Promise<FoundLinks>
  hasRoom(): boolean
  report(error: unknown): void
}

/** Loads links until all are cached or the cache is full, using half of the time. */
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

export const cachedLink = ({ account, link, longUrl, params, disabled }: LinkRow): CachedLink => ({
  account,
  id: link,
  location: destinationOf(longUrl, params),
  disabled,
})

/** Parsing a URL costs more than looking it up; most have no query, and many links share parameters. */
function destinationOf(longUrl: string, params: string): string {
  return isPlainUrl(longUrl) ? longUrl + queryOf(params) : finalUrl(longUrl, JSON.parse(params))
}

const queries = new Map<string, string>()
const mostQueries = 10_000

function queryOf(params: string): string {
  const known = queries.get(params)
  if (known !== undefined) return known
  const base = 'https://example.com/'
  const query = finalUrl(base, JSON.parse(params)).slice(base.length)
  if (queries.size >= mostQueries) queries.clear()
  queries.set(params, query)
  return query
}

/**
 * Whether parsing would leave the URL unchanged, and it has neither query nor fragment. One pass per part: URLs are untrusted,
 * and every link is checked.
 */
function isPlainUrl(url: string): boolean {
  const { host, path } = outline.exec(url)?.groups ?? {}
  return host !== undefined && path !== undefined && isPlainHost(host) && isPlainPath(path)
}

const outline = /^https?:\/\/(?<host>[a-z0-9.-]+)(?<path>\/[\w.~/-]*)$/

/** At least two labels. An all-digit label after the first could be part of an IP address in number form. */
function isPlainHost(host: string): boolean {
  // Punycode may be invalid.
  if (host.includes('xn--')) return false
  const [first, ...others] = host.split('.')
  return first !== '' && others.length > 0 && others.every(hasLetter)
}

const hasLetter = (label: string) => /[a-z]/.test(label)

/** No segment is empty or starts with a dot. */
const isPlainPath = (path: string) => !path.includes('//') && !path.includes('/.')

/** A pending lookup. */
interface PendingLookup {
  readonly promise: Promise<ShortLink | undefined>
  resolve(link: ShortLink | undefined): void
  reject(error: unknown): void
}

function newPendingLookup(): PendingLookup {
  let resolve: PendingLookup['resolve'] = () => {}
  let reject: PendingLookup['reject'] = () => {}
  const promise = new Promise<ShortLink | undefined>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}

interface MissedChangesOptions {
  database: Database
  /** Receives recently changed links, many of them already known. */
  forget(hash: string): void
  report(error: unknown): void
  every?: number | undefined
}

interface MissedChanges {
  /** Checks now, because a notification may have been missed. */
  check(): void
  close(): void
}

const defaultCheckInterval = 10_000

/**
 * Notifications may be lost: a connection can be dead for minutes before it is noticed. Changes since the last check, and one
 * minute before because a change is dated at the start of its transaction, are therefore queried every few seconds.
 */
function watchMissedChanges({
  database,
  forget,
  report,
  every = defaultCheckInterval,
}: MissedChangesOptions): MissedChanges {
  let since: Date | undefined
  let checking = false
  let again = false
  let closed = false

  const checkOnce = async () => {
    const { rows } = await sql<{ next: Date; hashes: string[] }>`
      select now() - interval '1 minute' as next,
        array(select hash from link_hashes where changed > ${since ?? null}::timestamptz) as hashes`.execute(
      database.shared,
    )
    const [{ next, hashes } = { next: since, hashes: [] }] = rows
    for (const hash of hashes) forget(hash)
    since = next
  }
  const check = async () => {
    again = true
    if (checking) return
    checking = true
    while (again) {
      again = false
      await checkOnce().catch((error) => closed || report(error))
    }
    checking = false
  }
  void check()
  const timer = setInterval(check, every).unref()
  return {
    check: () => void check(),
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}
