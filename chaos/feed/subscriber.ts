import { setTimeout as sleep } from 'node:timers/promises'
import { type FeedClient, listenTo } from '../../tests/support/feed-client.ts'
import type { FeedAccount, FeedUser } from './accounts.ts'

/** A feed client that reconnects when the connection breaks. */
export interface FeedSubscriber {
  readonly account: FeedAccount
  readonly user: FeedUser
  /** Number of notifications per id. */
  readonly heard: Map<string, number>
  readonly tally: { resets: number; many: number; returns: number }
  /** Disconnects; reconnects immediately or after `away`. */
  hangUp(away?: Promise<unknown>): void
  end(): Promise<void>
}

export interface SubscriberOptions {
  account: FeedAccount
  user: FeedUser
  /** URL of a running process. */
  place: () => string
  /** Negative control: reconnects without the last event id. */
  forgetful: boolean
}

/** Resolves when connected for the first time. */
export async function openSubscriber({ account, user, place, forgetful }: SubscriberOptions): Promise<FeedSubscriber> {
  const heard = new Map<string, number>()
  const tally = { resets: 0, many: 0, returns: 0 }
  const authorization = `Basic ${Buffer.from(`${account.id}:${user.key}`).toString('base64')}`
  let isEnded = false
  let lastId: string | undefined
  let client: FeedClient | undefined
  let absence: Promise<unknown> | undefined

  const connect = async (): Promise<FeedClient> => {
    for (;;) {
      const found = await listenTo(`${place()}/app/api/feed`, { authorization }, lastId).catch(() => undefined)
      if (found?.status === 200) return found
      found?.close()
      await sleep(20)
    }
  }
  /** Events are removed as they arrive, to limit memory. */
  const drain = (from: FeedClient) => {
    for (const { name, data } of from.events.splice(0)) {
      if (name === 'reset') tally.resets++
      else if (name === 'hint' && data.id === null) tally.many++
      else if (name === 'hint') heard.set(data.id, (heard.get(data.id) ?? 0) + 1)
    }
    if (from.lastId() !== '' && !forgetful) lastId = from.lastId()
  }
  client = await connect()
  while (client.events.length === 0 && !client.isOver()) await sleep(5)
  const listening = (async () => {
    while (!isEnded) {
      const present: FeedClient = client ?? (await connect())
      client = present
      const looking = setInterval(() => drain(present), 100)
      await present.over
      clearInterval(looking)
      drain(present)
      client = undefined
      await absence
      if (!isEnded) tally.returns++
    }
  })()
  return {
    account,
    user,
    heard,
    tally,
    hangUp(away) {
      absence = away
      client?.close()
    },
    async end() {
      isEnded = true
      client?.close()
      await listening
    },
  }
}
