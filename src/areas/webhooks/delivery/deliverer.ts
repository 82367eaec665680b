import { afterSetBack } from '#kernel/clock.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Life, Lives } from '#kernel/jobs/worker-life.ts'
import { startLaneKeeper } from '#kernel/lanes/lane-keeper.ts'
import type { Log } from '#kernel/log.ts'
import { usualRhythm } from '#kernel/rhythm.ts'
import { leaveOut } from '#kernel/unreadable.ts'
import { bringForward } from './bring-forward.ts'
import { LostLane } from './call.ts'
import type { Delivering } from './delivering.ts'
import { eventsChannel } from './event-queue.ts'
import { fanOut } from './fan-out.ts'
import { type RunningLane, runLane } from './lane.ts'
import { claimWebhooks, webhookLanes } from './lane-claim.ts'
import { heldLanes, openPlaces, type Pace } from './pace.ts'
import { openRecorder } from './recorder.ts'

export interface DelivererOptions extends Installation {
  listener: Listener
  lives: Lives
  log: Log
  /** The User-Agent of the calls. */
  agent: string
  /** Milliseconds between attempts. */
  waits: readonly number[]
  /** Milliseconds from one look to the next. */
  every?: number
}

export interface Deliverer {
  /** Takes no more webhooks, lets calls under way finish, lets go of everything. */
  stop(): Promise<void>
}

const paceEvery = 250
const paces: readonly Pace[] = ['fast', 'new', 'slow']

/** Sends events to webhooks from this process until it is stopped. Any number of processes may do so at once. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, clock, listener, lives, log, every = usualRhythm.webhooks } = options
  const places = openPlaces()
  let current: { life: Life; delivering: Delivering } | undefined

  const free = (pace: Pace) => {
    let held = 0
    for (const lane of keeper.lanes.values()) if (lane.pace() === pace) held++
    return heldLanes[pace] - held
  }
  const delivering = (life: Life): Delivering => {
    if (current?.life === life) return current.delivering
    const { waits, agent } = options
    const recorder = openRecorder(database, life.id)
    const made = { installation: options, worker: life.id, places, recorder, waits, agent }
    current = { life, delivering: { ...made, stopping: keeper.stopping, isCrowded: (pace) => free(pace) <= 0 } }
    return current.delivering
  }
  const leaveOutAccount = (account: string, error: unknown) =>
    leaveOut(log, { kind: 'events of an account', id: account }, error)
  const setRight = afterSetBack(clock, (now) => bringForward(database, options.waits, now, leaveOutAccount))
  const keeper = startLaneKeeper<RunningLane>({
    ...{ database, listener, lives, log, table: webhookLanes, channel: eventsChannel, every },
    isLoss: (error) => error instanceof LostLane,
    async take({ lanes, start, look, stopping }, life) {
      const now = clock.now()
      await setRight()
      const { woken, more } = await fanOut(database, now, leaveOutAccount)
      for (const webhook of woken) lanes.get(webhook)?.wake()
      if (more && !stopping()) look()
      if (!life) return
      const room = new Map(paces.map((pace) => [pace, free(pace)]))
      for (const claim of await claimWebhooks(database.shared, life.id, now, room))
        start(life, claim.webhook, runLane(delivering(life), claim))
    },
  })
  const pacing = setInterval(places.demoteSlow, paceEvery)
  return {
    stop() {
      clearInterval(pacing)
      return keeper.stop()
    },
  }
}
