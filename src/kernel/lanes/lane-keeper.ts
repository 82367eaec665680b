import { setTimeout as sleep } from 'node:timers/promises'
import { type Agenda, openAgenda } from '../agenda/agenda.ts'
import { openLook } from '../agenda/look.ts'
import { readNotice } from '../agenda/notice.ts'
import type { Reach } from '../agenda/reach.ts'
import { ahead, startRounds } from '../agenda/rounds.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Listener } from '../database/listener.ts'
import type { Life, Lives } from '../jobs/worker-life.ts'
import type { Log } from '../log.ts'
import { leaveOut } from '../unreadable.ts'
import { freeLanes, type LaneTable, laneName } from './lane-table.ts'

/** A lane that is let go: when it is due again, and as what kind. */
export interface LetGo {
  due: Date | null
  kind?: string
}

export interface RunningLane {
  readonly account: string
  /** Ends when the lane was let go, nothing where it was lost; fails when it could not be served. */
  readonly done: Promise<LetGo | undefined>
}

interface LaneKeeperOptions<Lane extends RunningLane> {
  database: Database
  listener: Listener
  lives: Lives
  clock: Clock
  log: Log
  table: LaneTable
  /** The kinds of lanes, which have places of their own; '' where there is only one. */
  kinds?: readonly string[]
  /** Tells whose lanes have got something to do. */
  channel: string
  /** Milliseconds from one look over all accounts to the next. */
  every: number
  reach: Reach
  /** Takes lanes that have something to do, and starts them. There is no life while the lease is lost. */
  take(keeper: LaneKeeper<Lane>, life: Life | undefined): Promise<void>
  /** Done with every look, before lanes are freed. */
  tick?(): Promise<void>
  /** Whether a lane failed only because another process has it by now. */
  isLoss(error: unknown): boolean
}

export interface LaneKeeper<Lane extends RunningLane> {
  /** By account and lane. */
  readonly lanes: ReadonlyMap<string, Lane>
  /** The accounts whose lanes have something to do, by the kind of the lanes. */
  readonly agendas: ReadonlyMap<string, Agenda>
  readonly stopping: () => boolean
  start(life: Life, key: string, lane: Lane): void
  /** Asks for lanes to be taken, right after what is under way. Whoever has noted something asks. */
  look(): void
  /** Asks for a look over all accounts. */
  lookEverywhere(): void
  /** Takes no more lanes, lets what is under way finish, lets go of everything. */
  stop(): Promise<void>
}

const patience = 8_000

/** Serves lanes from this process until it is stopped. Any number of processes may do so at once; each lane has one. */
export function startLaneKeeper<Lane extends RunningLane>(options: LaneKeeperOptions<Lane>): LaneKeeper<Lane> {
  const { database, listener, lives, clock, log, table, kinds = [''], channel, every, reach, take, tick } = options
  const { shared } = database
  const lanes = new Map<string, Lane>()
  const agendas = new Map(kinds.map((kind) => [kind, openAgenda(reach.accountsKnown)]))
  const failed = openFailedLanes()
  let stopping = false

  const start = (life: Life, lane: string, running: Lane) => {
    const { account, done } = running
    const key = laneName(account, lane)
    lanes.set(key, running)
    done
      .then(
        (letGo) => {
          failed.forget(key)
          if (letGo?.due) agendas.get(letGo.kind ?? '')?.note(account, letGo.due)
        },
        (error) => {
          if (life.signal.aborted || options.isLoss(error)) return
          failed.add(key)
          leaveOut(log, { kind: table.name, id: lane }, error)
        },
      )
      .finally(() => {
        if (lanes.get(key) === running) lanes.delete(key)
        rounds.ask()
      })
  }

  const look = openLook(shared, table.free, reach.accountsKnown)
  const keep = async () => {
    await tick?.()
    // A lane that failed here is held by this process still; after a while it is taken up again from the start.
    await freeLanes(shared, table, lives.current()?.id, [...lanes.keys(), ...failed.resting()], reach)
  }
  const round = async () => {
    await keep().catch((error) => log.error({ err: error, table: table.name }, 'keeping the lanes failed'))
    const found = await look(new Date(clock.now().getTime() + ahead(every)))
    for (const [kind, agenda] of agendas) agenda.noteAll(found.get(kind) ?? [])
  }
  const rounds = startRounds({
    ...{ clock, every, round, agendas: [...agendas.values()] },
    serve: () => take(keeper, stopping ? undefined : lives.current()),
    failed: (error) => log.error({ err: error, table: table.name }, 'looking for lanes failed'),
  })
  const keeper: LaneKeeper<Lane> = {
    ...{ lanes, agendas, start, look: rounds.ask, lookEverywhere: rounds.roundNow },
    stopping: () => stopping,
    async stop() {
      stopping = true
      await rounds.stop()
      const underWay = [...lanes.values()].map(({ done }) => done.catch(() => {}))
      await Promise.race([Promise.all(underWay), sleep(patience, undefined, { ref: false })])
      await freeLanes(shared, table, lives.current()?.id, [], reach).catch(() => {})
    },
  }
  lives.onAbsence(rounds.roundNow)
  listener.on(channel, (payload) => {
    const notice = readNotice(payload)
    if (!notice) return rounds.roundNow()
    // Whoever tells does not always know of which kind the lanes are.
    const told = agendas.get(notice.kind)
    for (const agenda of told ? [told] : agendas.values()) agenda.note(notice.account, notice.due)
    rounds.ask()
  })
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
