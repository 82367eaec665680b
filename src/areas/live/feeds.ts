import { feedChannel, numberEntries } from '#kernel/changes/change-feed.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Identity, whenIdentitiesChange } from '#kernel/identities.ts'
import type { StreamWriter } from '#kernel/stream-writer.ts'
import { type AccountFeeds, type FeedServices, openAccountFeeds } from './account-feeds.ts'
import { openFeed, type Position, readId, statusAt } from './feed.ts'
import { presenceChannel, readPresence } from './presence.ts'

/** Limits of open feeds per process. */
export interface FeedLimits {
  /** Per session or API key. */
  readonly session: number
  readonly account: number
}

interface FeedsOptions extends FeedServices {
  listener: Listener
  limits: FeedLimits
  /** Heartbeat interval in milliseconds. */
  every: number
}

export interface Feeds {
  /** Throws if refused, otherwise returns the function that starts the stream; `after` is the last event id the client received. */
  open(identity: Identity, after: string | undefined): Promise<(writer: StreamWriter) => void>
  readonly count: () => number
  /** Closes all feeds; browsers reconnect to another process. */
  close(): void
}

/** Sessions can expire silently: checked once in this many heartbeats. */
const callersEvery = 4

export async function openFeeds({ listener, limits, every, ...services }: FeedsOptions): Promise<Feeds> {
  const accounts = new Map<string, AccountFeeds>()
  const taken = new Map<string, number>()
  let isClosed = false
  let heartbeats = 0

  const some = (accountId: string | undefined) =>
    accountId === undefined ? [...accounts.values()] : [accounts.get(accountId) ?? []].flat()
  // Subscribed before the first feed opens, so that no notification is missed.
  await listener.on(feedChannel, (accountId) => {
    if (accountId !== undefined) accounts.get(accountId)?.readNew()
    else for (const account of accounts.values()) account.recheck()
  })
  await listener.on(presenceChannel, (payload = '') => {
    const received = readPresence(payload)
    if (received) accounts.get(received.accountId)?.addPresence(received)
  })
  await whenIdentitiesChange(listener, (accountId) => {
    for (const account of some(accountId)) account.checkCallers()
  })
  const heartbeatTimer = setInterval(() => {
    heartbeats++
    for (const account of accounts.values()) {
      for (const feed of account.feeds) feed.beat()
      // A process may have died between a change and its notification.
      account.readNew()
      if (heartbeats % callersEvery === 0) account.checkCallers()
    }
  }, every).unref()

  const acquire = (key: string, most: number, owner: string, setting: keyof FeedLimits) => {
    const before = taken.get(key) ?? 0
    if (before >= most) throw full(owner, most, setting)
    taken.set(key, before + 1)
  }
  const releaseSlot = (key: string) => {
    const left = (taken.get(key) ?? 0) - 1
    if (left > 0) taken.set(key, left)
    else taken.delete(key)
  }
  const takeSlots = ({ accountId, via }: Identity) => {
    acquire(via.id, limits.session, via.by === 'session' ? 'This session' : 'This API key', 'session')
    try {
      acquire(accountId, limits.account, 'This account', 'account')
    } catch (error) {
      releaseSlot(via.id)
      throw error
    }
    return () => {
      releaseSlot(via.id)
      releaseSlot(accountId)
    }
  }
  const feedsOf = (accountId: string) => {
    const account = accounts.get(accountId) ?? openAccountFeeds(services, accountId)
    accounts.set(accountId, account)
    return account
  }

  /** A position has to cover everything that committed before. */
  const statusOf = async (accountId: string, known: Position | undefined) => {
    const { database } = services
    while (await database.transaction(accountId, (db) => numberEntries({ db, accountId })));
    return statusAt(database.forAccount(accountId), accountId, known)
  }

  return {
    async open(identity, after) {
      if (isClosed) throw new Refusal('unavailable', 'This process is about to end. Connect again.', { retryAfter: 1 })
      const { accountId } = identity
      const release = takeSlots(identity)
      const known = after === undefined ? undefined : readId(after)
      const { head, isWhole } = await statusOf(accountId, known).catch((error) => {
        release()
        throw error
      })
      return (writer) => {
        const isFollowed = after === undefined || isWhole
        const feed = openFeed(identity, writer, (isWhole && known) || head, isFollowed ? 'ready' : 'reset')
        const account = feedsOf(accountId)
        account.feeds.add(feed)
        writer.onOver(() => {
          release()
          account.feeds.delete(feed)
          if (account.feeds.size === 0 && accounts.get(accountId) === account) accounts.delete(accountId)
        })
        if (isClosed) return feed.end()
        account.readNew()
        // The session may have ended since the request was authenticated.
        account.checkCallers()
      }
    },
    count: () => some(undefined).reduce((sum, { feeds }) => sum + feeds.size, 0),
    close() {
      isClosed = true
      clearInterval(heartbeatTimer)
      for (const { feeds } of accounts.values()) for (const feed of feeds) feed.end()
    },
  }
}

const full = (owner: string, most: number, setting: keyof FeedLimits) =>
  new Refusal(
    'limited',
    `${owner} has ${most} open feeds in this process already. Close one of them, or ask the operator to raise ${setting} in CHORUS_FEED_LIMITS.`,
    { retryAfter: 15 },
  )
