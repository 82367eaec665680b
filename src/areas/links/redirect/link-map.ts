import type { Database } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { linksChannel } from '../link/link-channel.ts'
import { openLinkCache } from './link-cache.ts'
import { openLinkLookup } from './link-lookup.ts'
import type { ShortLink } from './short-link.ts'
import { type Wanted, wantedOne } from './wanted-link.ts'

export interface LinkMap {
  /** At once where the link is known; else by one statement together with all others that are looked for. */
  find(hash: string): ShortLink | undefined | Promise<ShortLink | undefined>
}

export interface LinkMapOptions {
  database: Database
  listener: Listener
  /** How many links are kept at most. */
  size?: number
  /** Is told when links could not be read again. */
  report(error: unknown): void
}

/** Should an announcement have been missed, a link that is used is right again after this. */
const believedFor = 30_000
/** One that nobody used for this long is read before it is used, if the database answers. */
const usableFor = 300_000
/** A hash that leads nowhere, so that guessing them does not weigh on the database. */
const absentFor = 1_000
const absentRemembered = 20_000
const batchSize = 500
/** More would each have less to look up, and asking costs about the same for one as for fifty. */
const lookupsAtOnce = 1

interface Lookup {
  /** What was announced while it was under way: not to be kept. */
  readonly forgotten: Set<string>
  everything: boolean
}

/** Links in memory, in front of the database; kept right by announcements. */
export function openLinkMap({ database, listener, size = 200_000, report }: LinkMapOptions): LinkMap {
  const lookUpLinks = openLinkLookup(database)
  const cache = openLinkCache(size)
  const absent = new Map<string, number>()
  const asked = new Map<string, Promise<ShortLink | undefined>>()
  let wanted: Wanted[] = []
  const underWay = new Set<Lookup>()
  let planned = false

  const forget = (hash: string) => {
    cache.forget(hash)
    absent.delete(hash)
    asked.delete(hash)
    for (const { forgotten } of underWay) forgotten.add(hash)
  }
  const forgetEverything = () => {
    cache.clear()
    absent.clear()
    asked.clear()
    for (const lookup of underWay) lookup.everything = true
  }
  listener.on(linksChannel, (payload) => {
    if (payload === undefined || payload === '') forgetEverything()
    else if (!payload.startsWith('host:')) forget(payload)
  })

  const lookUp = async (batch: Wanted[]) => {
    const lookup: Lookup = { forgotten: new Set(), everything: false }
    underWay.add(lookup)
    try {
      const read = performance.now()
      const hashes = batch.map(({ hash }) => hash)
      const found = await lookUpLinks(hashes, read)
      for (const { hash, resolve } of batch) {
        const link = found.get(hash)
        const stale = lookup.everything || lookup.forgotten.has(hash)
        if (!stale && link) cache.keep(hash, link)
        if (!stale && !link) leavesNowhere(hash)
        resolve(link)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      underWay.delete(lookup)
      for (const { hash, answer } of batch) if (asked.get(hash) === answer.promise) asked.delete(hash)
      start()
    }
  }
  const leavesNowhere = (hash: string) => {
    if (absent.size >= absentRemembered) absent.clear()
    absent.set(hash, performance.now() + absentFor)
    cache.forget(hash)
  }
  const start = () => {
    planned = false
    while (wanted.length > 0 && underWay.size < lookupsAtOnce) {
      const batch = wanted.length > batchSize ? wanted.splice(0, batchSize) : wanted
      if (batch === wanted) wanted = []
      void lookUp(batch)
    }
  }
  const ask = (hash: string): Promise<ShortLink | undefined> => {
    const known = asked.get(hash)
    if (known) return known
    const one = wantedOne(hash)
    wanted.push(one)
    asked.set(hash, one.answer.promise)
    // At the end of the turn, so that everything that came in it goes together.
    if (!planned && underWay.size < lookupsAtOnce) {
      planned = true
      setImmediate(start)
    }
    return one.answer.promise
  }
  const again = (hash: string, link: ShortLink) => {
    const asking = ask(hash)
    if (performance.now() - link.read < usableFor) {
      asking.catch(report)
      return link
    }
    return asking.catch((error) => {
      report(error)
      return link
    })
  }

  return {
    find(hash) {
      const link = cache.get(hash)
      const now = performance.now()
      if (link) return now - link.read < believedFor || asked.has(hash) ? link : again(hash, link)
      const until = absent.get(hash)
      if (until !== undefined) {
        if (until > now) return undefined
        absent.delete(hash)
      }
      return ask(hash)
    },
  }
}
