import { setTimeout as sleep } from 'node:timers/promises'
import { eventsChannel } from '#areas/events/event.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Life, Lives } from '#kernel/jobs/worker-life.ts'
import type { Log } from '#kernel/log.ts'
import type { Surroundings } from '#kernel/surroundings.ts'
import { LostLane } from './call.ts'
import type { Delivering } from './delivering.ts'
import { fanOut } from './fan-out.ts'
import { type RunningLane, runLane } from './lane.ts'
import { claimLanes, freeAbandonedLanes, keepLanes, type LaneClaim } from './lane-claim.ts'
import { heldLanes, openPlaces, type Pace } from './pace.ts'
import { openRecorder } from './recorder.ts'

export interface DelivererOptions extends Surroundings {
  listener: Listener
  lives: Lives
  log: Log
  /** The User-Agent of the calls. */
  agent: string
  /** Milliseconds between attempts. */
  waits: readonly number[]
}

export interface Deliverer {
  /** Takes no more webhooks, lets calls under way finish, lets go of everything. */
  stop(): Promise<void>
}

const lookEvery = 1_000
const paceEvery = 250
const patience = 8_000
const paces: readonly Pace[] = ['fast', 'new', 'slow']

/** Sends events to webhooks from this process until it is stopped. Any number of processes may do so at once. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, clock, listener, lives, log } = options
  const places = openPlaces()
  const lanes = new Map<string, RunningLane>()
  let stopping = false
  let current: { life: Life; delivering: Delivering } | undefined

  const free = (pace: Pace) => {
    let held = 0
    for (const lane of lanes.values()) if (lane.pace() === pace) held++
    return heldLanes[pace] - held
  }
  const delivering = (life: Life): Delivering => {
    if (current?.life === life) return current.delivering
    const { waits, agent } = options
    const recorder = openRecorder(database, life.id)
    const made = { surroundings: options, worker: life.id, places, recorder, waits, agent }
    current = { life, delivering: { ...made, stopping: () => stopping, isCrowded: (pace) => free(pace) <= 0 } }
    return current.delivering
  }

  const start = (life: Life, claim: LaneClaim) => {
    const lane = runLane(delivering(life), claim)
    lanes.set(claim.webhook, lane)
    lane.done
      .catch((error) => {
        if (life.signal.aborted || error instanceof LostLane) return
        log.error({ webhook: claim.webhook, err: error }, 'delivering to a webhook failed')
      })
      .finally(() => {
        if (lanes.get(claim.webhook) === lane) lanes.delete(claim.webhook)
        look()
      })
  }

  const take = async () => {
    const now = clock.now()
    for (const webhook of await fanOut(database, now)) lanes.get(webhook)?.wake()
    const life = lives.current()
    if (stopping || !life) return
    for (const pace of paces) {
      const count = free(pace)
      if (count <= 0) continue
      for (const claim of await claimLanes(database.shared, life.id, pace, now, count)) start(life, claim)
    }
  }

  /** One look at a time; whoever asks during one gets another. */
  let looking: Promise<void> = Promise.resolve()
  let asked = false
  const look = () => {
    if (asked) return
    asked = true
    looking = looking.then(() => {
      asked = false
      return take().catch((error) => log.error({ err: error }, 'looking for deliveries failed'))
    })
  }
  const tick = () => {
    looking = looking.then(async () => {
      const life = lives.current()
      // A lane that failed here is held by this process still; it is taken up again from the start.
      if (life) await keepLanes(database.shared, life.id, [...lanes.keys()])
      await freeAbandonedLanes(database.shared)
    })
    looking = looking.catch((error) => log.error({ err: error }, 'keeping the webhooks failed'))
    look()
  }
  listener.on(eventsChannel, look)
  const timer = setInterval(tick, lookEvery)
  const pacing = setInterval(places.demoteSlow, paceEvery)
  tick()

  return {
    async stop() {
      stopping = true
      clearInterval(timer)
      clearInterval(pacing)
      await looking
      const underWay = [...lanes.values()].map(({ done }) => done.catch(() => {}))
      await Promise.race([Promise.all(underWay), sleep(patience, undefined, { ref: false })])
      const life = lives.current()
      if (life) await keepLanes(database.shared, life.id, []).catch(() => {})
    },
  }
}
