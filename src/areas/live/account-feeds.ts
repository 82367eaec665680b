import { setTimeout as sleep } from 'node:timers/promises'
import { currentRoles } from '#areas/account/identities.ts'
import { visibleAmong } from '#areas/account/team/visibility.ts'
import { numberEntries } from '#kernel/changes/change-feed.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Database } from '#kernel/database/database.ts'
import { inLaterIteration } from '#kernel/event-loop/event-loop-time.ts'
import type { Log } from '#kernel/log.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { type Entry, entriesAfter, event, eventsFor, type Feed, idOf, mayReceive, scopesIn, statusAt } from './feed.ts'
import type { Presence } from './presence.ts'

export interface FeedServices {
  database: Database
  clock: Clock
  log: Log
}

/** The feeds of one account in this process: entries and permissions are read once for all of them. */
export interface AccountFeeds {
  readonly feeds: Set<Feed>
  /** Called when there may be new entries. */
  readNew(): void
  /** Called when notifications may have been missed, or after a failover. */
  recheck(): void
  /** Closes feeds whose session or API key has ended, or whose role has changed. */
  checkCallers(): void
  addPresence(presence: Presence): void
}

const atOnce = 100
/** Changes within this time are sent together. */
const gatherMs = 50
const retryMs = 1_000
/** Time slice, after which the feed yields the event loop. */
const sliceMs = 2
/** Limit of presences collected between two rounds; further ones are dropped. */
const mostPresences = 100

export function openAccountFeeds({ database, clock, log }: FeedServices, accountId: string): AccountFeeds {
  const feeds = new Set<Feed>()
  const presences = new Map<string, Presence>()
  const { thread } = database
  const db = database.forAccount(accountId)

  /** Runs work for each feed that is still open, yielding the event loop between time slices. */
  const forEach = async (those: readonly Feed[], work: (feed: Feed) => void) => {
    let begun = performance.now()
    const charge = () => thread.charge(accountId, performance.now() - begun)
    for (const feed of those) {
      if (feeds.has(feed)) work(feed)
      if (performance.now() - begun < sliceMs) continue
      charge()
      await new Promise<void>((resolve) => inLaterIteration(accountId, resolve))
      begun = performance.now()
    }
    charge()
  }

  /** Sends the next entries to the feeds that are furthest behind; returns whether there may be more. */
  const sendNext = async (): Promise<boolean> => {
    await thread.rest(accountId)
    // Feeds that join from here on wait for the next round: their permissions are not part of this one.
    const those = [...feeds]
    if (those.length === 0) return false
    const from = lowest(those)
    while (await database.transaction(accountId, (db) => numberEntries({ db, accountId })));
    const { head, entries, isWhole } = await entriesAfter(db, accountId, from, atOnce)
    if (!isWhole) {
      for (const feed of those) if (feed.position().number === from) feed.reset(head)
      return lowest(feeds) < head.number
    }
    const last = entries.at(-1)
    if (!last) return false
    for (const { number, hints, error } of entries)
      if (!hints) skipRow(log, { kind: 'entry of the feed', id: `${accountId} ${number}` }, error)
    const scopes = scopesIn(entries.flatMap(({ hints = [] }) => hints.map(({ scope }) => scope)))
    const sees = await visibleAmong(db, accountId, usersOfTeams(those), scopes)
    const texts = new Map<string, string | undefined>()
    await forEach(those, (feed) => {
      const { identity } = feed
      const { number } = feed.position()
      if (number >= last.number) return
      const key = `${identity.userId} ${identity.role} ${number}`
      if (!texts.has(key)) texts.set(key, eventsFor(identity, after(entries, number), sees))
      const text = texts.get(key)
      if (text === undefined) feed.reset(last)
      else feed.advance(last, text)
    })
    return entries.length === atOnce || lowest(feeds) < last.number
  }

  const sendPresences = async () => {
    const pending = [...presences.values()]
    presences.clear()
    if (pending.length === 0) return
    const those = [...feeds]
    const sees = await visibleAmong(db, accountId, usersOfTeams(those), scopesIn(pending.map(({ scope }) => scope)))
    await forEach(those, ({ identity, send }) => {
      const received = pending.filter(({ by, scope }) => by !== identity.userId && mayReceive(identity, scope, sees))
      send(received.map(({ kind, id, doing, by }) => event('presence', { kind, id, doing, by })).join(''))
    })
  }

  /** Resets feeds whose position is unknown to this database, which may be a promoted replica that lagged behind. */
  const recheck = async () => {
    const positions = new Map([...feeds].map((feed) => [idOf(feed.position()), feed.position()]))
    for (const [id, position] of positions) {
      const { head, isWhole } = await statusAt(db, accountId, position)
      if (!isWhole) for (const feed of feeds) if (idOf(feed.position()) === id) feed.reset(head)
    }
  }

  let rechecksWanted = 0
  let rechecksDone = 0
  const readNew = oneAtATime(
    async () => {
      const wanted = rechecksWanted
      if (wanted > rechecksDone) await recheck()
      rechecksDone = wanted
      await sendPresences()
      while (await sendNext());
      await sleep(gatherMs, undefined, { ref: false })
    },
    (error) => log.error({ account: accountId, err: error }, 'reading a feed failed'),
  )
  const checkCallers = oneAtATime(
    async () => {
      const vias = [...feeds].map(({ identity }) => identity.via)
      const roles = await currentRoles(db, accountId, vias, clock.now())
      const pendingIds = new Set(vias.map(({ id }) => id))
      for (const { identity, end } of feeds)
        if (pendingIds.has(identity.via.id) && roles.get(identity.via.id) !== identity.role) end()
    },
    (error) => log.error({ account: accountId, err: error }, 'asking who still listens failed'),
  )

  return {
    feeds,
    readNew,
    checkCallers,
    recheck() {
      rechecksWanted++
      readNew()
    },
    addPresence(presence) {
      const key = `${presence.by} ${presence.id}`
      if (presences.size >= mostPresences && !presences.has(key)) return
      presences.set(key, presence)
      readNew()
    },
  }
}

const lowest = (feeds: Iterable<Feed>) => Math.min(...[...feeds].map((feed) => feed.position().number))

/** Users whose visibility depends on teams; admins see everything. */
const usersOfTeams = (feeds: readonly Feed[]) => [
  ...new Set(feeds.filter(({ identity }) => identity.role !== 'admin').map(({ identity }) => identity.userId)),
]

const after = (entries: readonly Entry[], number: number) =>
  entries[0] && entries[0].number > number ? entries : entries.filter((entry) => entry.number > number)

/** Coalesces calls: one run for all calls before it starts, another if it was called meanwhile or failed. */
function oneAtATime(work: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let isWanted = false
  let isUnderWay = false
  const run = async () => {
    isUnderWay = true
    while (isWanted) {
      isWanted = false
      try {
        await work()
      } catch (error) {
        failed(error)
        isWanted = true
        await sleep(retryMs, undefined, { ref: false })
      }
    }
    isUnderWay = false
  }
  return () => {
    isWanted = true
    if (!isUnderWay) void run()
  }
}
