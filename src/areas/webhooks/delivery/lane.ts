import type { Released } from '#kernel/jobs/partitions.ts'
import { type Call, call } from './call.ts'
import type { Delivering } from './delivering.ts'
import { beginning, type Due, type Lane, readDue } from './due.ts'
import { giveUpWaiting, switchedOff } from './give-up.ts'
import { type LaneClaim, releaseWebhook } from './lane-claim.ts'
import { callsPerLane, type Pace } from './pace.ts'
import { type Receiver, receiverOf } from './receiver.ts'

/** A webhook is let go after this long if others wait for their turn. */
const turn = 1_000
const readAtOnce = 64

export interface RunningLane {
  readonly account: string
  /** Something was added for this webhook. */
  wake(): void
  /** As it shows itself right now. */
  pace(): Pace
  /** Ends when the lane was let go, nothing where it was lost; fails when it could not be served. */
  readonly done: Promise<Released | undefined>
}

/** Delivers to one webhook whatever is due, a few calls at a time, until nothing is left or its turn is over. */
export function runLane(delivering: Delivering, claim: LaneClaim): RunningLane {
  const { worker, installation } = delivering
  const { clock } = installation
  const db = installation.database.forAccount(claim.account)
  let until = performance.now() + turn
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  let pace: Pace = claim.pace
  let changed: (added: boolean) => void = () => {}
  /** Whether something was added since what is due was last read. */
  let isWoken = false
  let last: Pick<Due, 'due' | 'id'> = beginning

  /** Waits until a call has ended or something was added; tells whether it was the latter. */
  const change = () =>
    new Promise<boolean>((resolve) => {
      changed = resolve
    })

  const start = (receiver: Receiver, due: Due) => {
    const order: Call = { claim, receiver, due, pace, slowed: () => (pace = 'slow') }
    const make = async () => {
      try {
        pace = await call(delivering, order)
      } catch (error) {
        failures.push(error)
      }
      underWay.delete(making)
      changed(false)
    }
    const making = make()
    underWay.add(making)
  }

  const send = async (lane: Lane, queue: Due[]) => {
    if (queue.length === 0) return
    const receiver = receiverOf(installation, claim, lane)
    for (const due of queue) {
      while (underWay.size >= callsPerLane[pace]) await change()
      if (failures.length > 0) return
      start(receiver, due)
    }
  }

  /** From the oldest on again: a process whose clock is behind may have added something before what was read last. */
  const startOver = async () => {
    await Promise.all(underWay)
    last = beginning
    until = performance.now() + turn
  }

  const run = async (): Promise<Released | undefined> => {
    for (;;) {
      const turnIsOver = performance.now() > until
      const count = delivering.stopping() || (turnIsOver && delivering.isCrowded(pace)) ? 0 : readAtOnce
      if (turnIsOver && count > 0) await startOver()
      isWoken = false
      const read = await readDue(db, claim, last, clock.now(), count)
      if (!read || failures.length > 0) break
      const { lane, queue } = read
      // What was added while it was being switched off.
      if (!lane.isEnabled) await giveUpWaiting({ db, accountId: claim.account }, claim.webhook, switchedOff)
      await send(lane, queue)
      last = queue.at(-1) ?? last
      if (count > 0 && queue.length === count) continue
      // Nothing more was due: unless something is added meanwhile, the lane is let go when these calls have ended.
      let added = false
      while (underWay.size > 0 && !added) added = await change()
      if (added || failures.length > 0) continue
      const released = await releaseWebhook(db, worker, claim, { pace, wakes: lane.wakes, now: clock.now() })
      // What was added right after it was let go: nobody else here knows of it.
      if (released) return { due: isWoken ? clock.now() : released.due, kind: pace }
    }
    await Promise.all(underWay)
    if (failures.length > 0) throw failures[0]
    return undefined
  }
  const wake = () => {
    isWoken = true
    changed(true)
  }
  return { account: claim.account, wake, pace: () => pace, done: run() }
}
