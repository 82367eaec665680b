import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import type { Life, Lives } from '../jobs/worker-life.ts'
import type { Log } from '../log.ts'
import { leaveOut } from '../unreadable.ts'
import { freeLanes, type LaneTable } from './lane-table.ts'

export interface RunningLane {
  /** Ends when the lane was let go; fails when it could not be served. */
  readonly done: Promise<void>
}

interface LaneKeeperOptions<Lane extends RunningLane> {
  database: Database
  listener: Listener
  lives: Lives
  log: Log
  table: LaneTable
  /** Told when lanes may have got something to do. */
  channel: string
  /** Milliseconds from one look to the next. */
  every: number
  /** Takes lanes that have something to do, and starts them. There is no life while the lease is lost. */
  take(keeper: LaneKeeper<Lane>, life: Life | undefined): Promise<void>
  /** Done with every look, before lanes are freed. */
  tick?(): Promise<void>
  /** Whether a lane failed only because another process has it by now. */
  isLoss(error: unknown): boolean
}

export interface LaneKeeper<Lane extends RunningLane> {
  readonly lanes: ReadonlyMap<string, Lane>
  readonly stopping: () => boolean
  start(life: Life, key: string, lane: Lane): void
  /** Asks for another look, right after the one under way. */
  look(): void
  /** Takes no more lanes, lets what is under way finish, lets go of everything. */
  stop(): Promise<void>
}

const patience = 8_000

/** Serves lanes from this process until it is stopped. Any number of processes may do so at once; each lane has one. */
export function startLaneKeeper<Lane extends RunningLane>(options: LaneKeeperOptions<Lane>): LaneKeeper<Lane> {
  const { database, listener, lives, log, table, channel, every, take, tick, isLoss } = options
  const { shared } = database
  const lanes = new Map<string, Lane>()
  const failed = openFailedLanes()
  let stopping = false

  const start = (life: Life, key: string, lane: Lane) => {
    lanes.set(key, lane)
    lane.done
      .then(
        () => failed.forget(key),
        (error) => {
          if (life.signal.aborted || isLoss(error)) return
          failed.add(key)
          leaveOut(log, { kind: table.name, id: key }, error)
        },
      )
      .finally(() => {
        if (lanes.get(key) === lane) lanes.delete(key)
        look()
      })
  }

  /** One look at a time; whoever asks during one gets another. */
  let looking: Promise<void> = Promise.resolve()
  let asked = false
  const look = () => {
    if (asked) return
    asked = true
    looking = looking.then(() => {
      asked = false
      return take(keeper, stopping ? undefined : lives.current()).catch((error) =>
        log.error({ err: error, table: table.name }, 'looking for lanes failed'),
      )
    })
  }
  const round = () => {
    looking = looking.then(async () => {
      await tick?.()
      // A lane that failed here is held by this process still; after a while it is taken up again from the start.
      await freeLanes(shared, table, lives.current()?.id, [...lanes.keys(), ...failed.resting()])
    })
    looking = looking.catch((error) => log.error({ err: error, table: table.name }, 'keeping the lanes failed'))
    look()
  }
  const keeper: LaneKeeper<Lane> = {
    lanes,
    stopping: () => stopping,
    start,
    look,
    async stop() {
      stopping = true
      clearInterval(timer)
      await looking
      const underWay = [...lanes.values()].map(({ done }) => done.catch(() => {}))
      await Promise.race([Promise.all(underWay), sleep(patience, undefined, { ref: false })])
      await freeLanes(shared, table, lives.current()?.id, []).catch(() => {})
    },
  }
  listener.on(channel, look)
  const timer = setInterval(round, every)
  round()
  return keeper
}

const shortestRest = 1_000
const longestRest = 60_000

/** Lanes that could not be served, each left alone for longer the more often that happens. */
function openFailedLanes() {
  const all = new Map<string, { rest: number; until: number }>()
  return {
    add(key: string) {
      const rest = Math.min(longestRest, 2 * (all.get(key)?.rest ?? shortestRest / 2))
      all.set(key, { rest, until: performance.now() + rest })
    },
    forget: (key: string) => void all.delete(key),
    resting: () => [...all].filter(([, { until }]) => until > performance.now()).map(([key]) => key),
  }
}
