import { performance } from 'node:perf_hooks'
import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { linksChannel } from '../../link/link-channel.ts'
import { type ShortLink, shortLink } from '../visit/short-link.ts'
import { openAccountWishes } from './account-wishes.ts'
import { type FoundLinks, type LeaveOutLink, openLinkLookup } from './link-lookup.ts'
import { preload } from './link-preload.ts'
import { type KeptLink, openLinkStore } from './link-store.ts'
import { watchMissedChanges } from './missed-changes.ts'
import { type Wanted, wantedOne } from './wanted-link.ts'

export interface LinkMap {
  /** At once where the link is known; else by one statement together with all others that are looked for. */
  find(hash: string): ShortLink | undefined | Promise<ShortLink | undefined>
  /** How many are in memory. */
  count(): number
  close(): void
}

export interface LinkMapOptions {
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
