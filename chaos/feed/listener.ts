import { setTimeout as sleep } from 'node:timers/promises'
import { type FeedClient, listenTo } from '../../tests/support/feed-client.ts'
import type { FeedAccount, FeedUser } from './world.ts'

/** Somebody who listens, and comes back whenever the connection breaks. */
export interface FeedListener {
  readonly account: FeedAccount
  readonly user: FeedUser
  /** How often each id was told. */
  readonly heard: Map<string, number>
  readonly tally: { resets: number; many: number; returns: number }
  /** Hangs up; it comes back by itself, at once or when it has been away for so long. */
  hangUp(away?: Promise<unknown>): void
  end(): Promise<void>
}

export interface ListenerOptions {
  account: FeedAccount
  user: FeedUser
  /** A process that is there, as far as anybody knows. */
  place: () => string
  /** Comes back without saying what was heard last: the control. */
  forgetful: boolean
}

/** Resolves when it listens for the first time. */
export async function openListener({ account, user, place, forgetful }: ListenerOptions): Promise<FeedListener> {
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
  /** Events are taken off as they come: there are very many. */
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
