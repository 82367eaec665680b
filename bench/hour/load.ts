import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'

/** More than 1 finds slow growth in less time. */
const rate = Number(process.env.BENCH_RATE ?? 1)
const callsPerSecond = 10 * rate
const postsPerSecond = rate

/** Typical calls of a day in the office, one after the other. */
const calls: [route: string, body?: (number: number) => object][] = [
  ['GET /me'],
  ['GET /post'],
  ['POST /tag', (number) => ({ tag: `Hour ${number}` })],
  ['GET /campaign'],
  ['GET /conversation'],
  // Not of today, whose posts become more and more.
  ['POST /calendar', () => ({ fromDate: dayFromNow(1), toDate: dayFromNow(14) })],
  ['GET /message/005demo00000001'],
  ['POST /team/025demo00000001', (number) => ({ name: `Europe ${number % 2}` })],
  ['GET /credential'],
  ['GET /story'],
]

const dayMs = 24 * 60 * 60 * 1000
const dayFromNow = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

/** Prefix of all posts of the run. */
export const postPrefix = 'Post of the hour'
/** One in this many posts has a link of its own, which is shortened and kept in memory by design. */
const linkEvery = 10
/** Profiles of the demo that accept a text without a file, by network. */
const targets = [
  ['X', '003-1-1500000000000000501'],
  ['Facebook', '003-1-100200300400501'],
  ['LinkedIn', '003-1-2414183'],
] as const

/** What was sent so far. */
export interface LoadTally {
  calls: number
  failed: number
  /** The first failures. */
  failures: string[]
  /** Ids of created posts. */
  posts: string[]
}

const mostFailures = 5

/** Sends calls, and a post to publish at once, at a steady rate until stopped. */
export function startLoad(admin: Caller, campaignId: string) {
  const tally: LoadTally = { calls: 0, failed: 0, failures: [], posts: [] }
  const call = async (route: string, body?: object) => {
    tally.calls++
    try {
      const { status, text, json } = await admin(route, body && { body })
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`)
      return json
    } catch (error) {
      tally.failed++
      if (tally.failures.length < mostFailures) tally.failures.push(`${route}: ${(error as Error).message}`)
      return undefined
    }
  }
  const publish = async (number: number) => {
    const [network, credentialIds] = targets[number % targets.length] ?? targets[0]
    const link = number % linkEvery === 0 ? ` https://shop.example/${number}` : ''
    const made = await call('POST /message', { network, campaignId, message: `${postPrefix} ${number}${link}` })
    if (!made) return
    const planned = await call('POST /post', { messageId: made.Message.Id, credentialIds })
    if (planned) tally.posts.push(planned.Post.Id)
  }
  let isStopping = false
  const atRate = async (perSecond: number, work: (number: number) => Promise<unknown>) => {
    const begun = performance.now()
    const open = new Set<Promise<unknown>>()
    for (let number = 0; !isStopping; number++) {
      await sleep(Math.max(0, begun + (number * 1000) / perSecond - performance.now()))
      const working = work(number).finally(() => open.delete(working))
      open.add(working)
    }
    await Promise.all(open)
  }
  const sending = [
    atRate(callsPerSecond, (number) => {
      const [route, body] = calls[number % calls.length] ?? ['GET /me']
      return call(route, body?.(number))
    }),
    atRate(postsPerSecond, publish),
  ]
  return {
    tally,
    async stop() {
      isStopping = true
      await Promise.all(sending)
    },
  }
}
