import { setTimeout as sleep } from 'node:timers/promises'
import { type FeedClient, listenTo } from '../../tests/support/feed-client.ts'
import type { FeedAccount, FeedUser } from './accounts.ts'

/** A feed client that reconnects when the connection breaks. */
export interface FeedSubscriber {
  readonly account: FeedAccount
  readonly user: FeedUser
  /** Number of notifications per id. */
  readonly received: Map<string, number>
  readonly tally: { resets: number; many: number; returns: number }
  /** Disconnects; reconnects immediately or after `away`. */
  disconnect(reconnectAfter?: Promise<unknown>): void
  end(): Promise<void>
}

export interface SubscriberOptions {
  account: FeedAccount
  user: FeedUser
  /** URL of a running process. */
  processUrl: () => string
  /** Negative control: reconnects without the last event id. */
  forgetful: boolean
}

/** Resolves when connected for the first time. */
export async function openSubscriber({
  account,
  user,
  processUrl,
  forgetful,
}: SubscriberOptions): Promise<FeedSubscriber> {
  const received = new Map<string, number>()
  const tally = { resets: 0, many: 0, returns: 0 }
  const authorization = `Basic ${Buffer.from(`${account.id}:${user.key}`).toString('base64')}`
  let isEnded = false
  let lastId: string | undefined
  let client: FeedClient | undefined
  let absence: Promise<unknown> | undefined

  const connect = async (): Promise<FeedClient> => {
    for (;;) {
      const found = await listenTo(`${processUrl()}/app/api/feed`, { authorization }, lastId).catch(() => undefined)
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
      else if (name === 'hint') received.set(data.id, (received.get(data.id) ?? 0) + 1)
    }
    if (from.lastId() !== '' && !forgetful) lastId = from.lastId()
  }
  client = await connect()
  while (client.events.length === 0 && !client.isOver()) await sleep(5)
  const listening = (async () => {
    while (!isEnded) {
      const current: FeedClient = client ?? (await connect())
      client = current
      const drainTimer = setInterval(() => drain(current), 100)
      await current.over
      clearInterval(drainTimer)
      drain(current)
      client = undefined
      await absence
      if (!isEnded) tally.returns++
    }
  })()
  return {
    account,
    user,
    received,
    tally,
    disconnect(reconnectAfter) {
      absence = reconnectAfter
      client?.close()
    },
    async end() {
      isEnded = true
      client?.close()
      await listening
    },
  }
}
