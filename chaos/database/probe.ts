import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../tests/support/caller.ts'

interface Asked {
  begun: number
  ended?: number
  good?: boolean
}

/** Somebody who asks again and again whether the service works, and does not wait for one answer to ask for the next. */
export interface Probe {
  /** Milliseconds from that moment until every call that begins later is answered well; waits until that is so. */
  backSince(moment: number): Promise<number>
  /** How many of the calls that began in that time had no answer at a later moment. */
  unanswered(from: number, to: number, at: number): number
  end(): Promise<void>
}

/** Only when all calls of this long went well is the service called back. */
const steady = 2_000
const patience = 120_000

/** Every tenth of a second unless told. */
export function openProbe(ask: Caller, every = 100): Probe {
  const asked: Asked[] = []
  const open = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const one: Asked = { begun: performance.now() }
    asked.push(one)
    const asking = ask('POST /team/025demo00000001', { body: { name: 'Europe' } })
      .then(({ status }) => status === 200)
      .catch(() => false)
      .then((good) => {
        one.good = good
        one.ended = performance.now()
        open.delete(asking)
      })
    open.add(asking)
  }, every)

  return {
    async backSince(moment) {
      for (;;) {
        const since = asked.filter(({ begun }) => begun >= moment)
        const late = performance.now() - steady
        const bad = since.filter(({ begun, good = begun > late }) => !good).at(-1)
        const firstGood = since.find(({ begun, good }) => good && begun > (bad?.begun ?? moment))
        if (firstGood && firstGood.begun < late) return Math.round(bad ? (firstGood.ended ?? 0) - moment : 0)
        if (performance.now() - moment > patience) return patience
        await sleep(every)
      }
    },
    unanswered: (from, to, at) =>
      asked.filter(({ begun, ended = Number.POSITIVE_INFINITY }) => begun >= from && begun < to && ended > at).length,
    async end() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}
