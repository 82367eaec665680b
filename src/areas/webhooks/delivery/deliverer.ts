import type { Agenda } from '#kernel/agenda/agenda.ts'
import { type Reach, usualReach } from '#kernel/agenda/reach.ts'
import { type Due, noteMore, serveAccounts } from '#kernel/agenda/serve.ts'
import { afterSetBack } from '#kernel/clock.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Life, Lives } from '#kernel/jobs/worker-life.ts'
import { startLaneKeeper } from '#kernel/lanes/lane-keeper.ts'
import { laneName } from '#kernel/lanes/lane-table.ts'
import type { Log } from '#kernel/log.ts'
import { usualRhythm } from '#kernel/rhythm.ts'
import { leaveOut } from '#kernel/unreadable.ts'
import { bringForward } from './bring-forward.ts'
import { LostLane } from './call.ts'
import type { Delivering } from './delivering.ts'
import { startFanOut } from './fan-out.ts'
import { type RunningLane, runLane } from './lane.ts'
import { type AccountPace, claimWebhooks, type LaneClaim, webhookLanes, webhooksChannel } from './lane-claim.ts'
import { heldLanes, openPlaces, type Pace, paces } from './pace.ts'
import { openRecorder } from './recorder.ts'

export interface DelivererOptions extends Installation {
  listener: Listener
  lives: Lives
  log: Log
  /** The User-Agent of the calls. */
  agent: string
  /** Milliseconds between attempts. */
  waits: readonly number[]
  /** Milliseconds from one look over all accounts to the next. */
  every?: number
  reach?: Reach | undefined
}

export interface Deliverer {
  /** Takes no more webhooks, lets calls under way finish, lets go of everything. */
  stop(): Promise<void>
}

const paceEvery = 250

/** Sends events to webhooks from this process until it is stopped. Any number of processes may do so at once. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, clock, listener, lives, log, every = usualRhythm.webhooks, reach = usualReach } = options
  const places = openPlaces()
  let current: { life: Life; delivering: Delivering } | undefined

  const free = (pace: Pace) => {
    let held = 0
    for (const lane of keeper.lanes.values()) if (lane.pace() === pace) held++
    return heldLanes[pace] - held
  }
  /** The paces for which there is room, and how much. */
  const room = () => new Map(paces.filter((pace) => free(pace) > 0).map((pace) => [pace, free(pace)]))
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
  const setRight = afterSetBack(clock, async (now) => {
    await bringForward(database, options.waits, now, leaveOutAccount)
    keeper.lookEverywhere()
  })
  const keeper = startLaneKeeper<RunningLane>({
    ...{ database, listener, lives, clock, log, every, reach },
    ...{ table: webhookLanes, kinds: paces, channel: webhooksChannel },
    isLoss: (error) => error instanceof LostLane,
    async take({ agendas, start }, life) {
      // Whenever something is delivered, so that no time is missed that was written down.
      await setRight()
      if (!life) return
      const now = clock.now()
      const agenda = together(agendas, room)
      await serveAccounts<LaneClaim>({
        ...{ agenda, now, reach, share: Number.POSITIVE_INFINITY },
        free: () => [...room().values()].reduce((sum, places) => sum + places, 0),
        running: () => 0,
        async claim(accounts, count) {
          const asked = accounts.flatMap(({ account }) => agenda.struck.get(account) ?? [])
          const order = { worker: life.id, now, asked, count, room: room() }
          const { claims, more } = await claimWebhooks(database.shared, order)
          for (const { pace, account } of more) {
            const gave = claims.some((claim) => claim.account === account && claim.pace === pace)
            noteMore(agendas.get(pace) as Agenda, account, now, gave || claims.length >= count)
          }
          return { claims, more: new Set() }
        },
        start: (claim) => start(life, claim.webhook, runLane(delivering(life), claim)),
      })
    },
  })
  const fanOut = startFanOut({
    ...{ database, listener, clock, log, every, reach, failed: leaveOutAccount },
    woken(account, webhooks) {
      const now = clock.now()
      for (const { webhook, pace } of webhooks) {
        const served = keeper.lanes.get(laneName(account, webhook))
        if (served) served.wake()
        else keeper.agendas.get(pace)?.note(account, now)
      }
      keeper.look()
    },
  })
  const pacing = setInterval(places.demoteSlow, paceEvery)
  return {
    async stop() {
      clearInterval(pacing)
      await Promise.all([fanOut.stop(), keeper.stop()])
    },
  }
}

/** The agendas of all paces for which there is room as one, which keeps what was struck off them. */
function together(agendas: ReadonlyMap<string, Agenda>, room: () => ReadonlyMap<Pace, number>) {
  const struck = new Map<string, AccountPace[]>()
  let withRoom: Pace[] = []
  const due: Due = {
    due(now) {
      withRoom = [...room().keys()]
      return new Set(withRoom.flatMap((pace) => [...(agendas.get(pace)?.due(now) ?? [])]))
    },
    strike(account) {
      const found = withRoom.filter((pace) => agendas.get(pace)?.strike(account))
      const pairs = found.map((pace) => ({ account, pace }))
      struck.set(account, pairs)
      return pairs.length > 0
    },
    note(account, moment) {
      for (const { pace } of struck.get(account) ?? []) agendas.get(pace)?.note(account, moment)
    },
    noteAgain() {},
  }
  return { ...due, struck }
}
