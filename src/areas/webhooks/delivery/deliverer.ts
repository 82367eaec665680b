import { afterSetBack } from '#kernel/clock.ts'
import { type BatchLimits, defaultBatchLimits } from '#kernel/database/across-accounts.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Installation } from '#kernel/installation.ts'
import type { DueAccounts } from '#kernel/jobs/due-accounts.ts'
import type { Lease, WorkerRegistration } from '#kernel/jobs/lease.ts'
import { partitionKey, startPartitionWorker } from '#kernel/jobs/partitions.ts'
import { type ClaimableAccounts, claimFairly, requeueAccount } from '#kernel/jobs/scheduler.ts'
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
  registration: WorkerRegistration
  log: Log
  /** The User-Agent of the calls. */
  agent: string
  /** Milliseconds between attempts. */
  waits: readonly number[]
  /** Milliseconds from one look over all accounts to the next. */
  every?: number
  limits?: BatchLimits | undefined
}

export interface Deliverer {
  /** Takes no more webhooks, lets calls under way finish, lets go of everything. */
  stop(): Promise<void>
}

const paceEvery = 250

/** Sends events to webhooks from this process until it is stopped. Any number of processes may do so at once. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, clock, listener, registration, log } = options
  const { every = usualRhythm.webhooks, limits = defaultBatchLimits } = options
  const places = openPlaces()
  let current: { lease: Lease; delivering: Delivering } | undefined

  const free = (pace: Pace) => {
    let held = 0
    for (const lane of keeper.running.values()) if (lane.pace() === pace) held++
    return heldLanes[pace] - held
  }
  /** The paces for which there is room, and how much. */
  const room = () => new Map(paces.filter((pace) => free(pace) > 0).map((pace) => [pace, free(pace)]))
  const delivering = (lease: Lease): Delivering => {
    if (current?.lease === lease) return current.delivering
    const { waits, agent } = options
    const recorder = openRecorder(database, lease.id)
    const made = { installation: options, worker: lease.id, places, recorder, waits, agent }
    current = { lease, delivering: { ...made, stopping: keeper.isStopping, isCrowded: (pace) => free(pace) <= 0 } }
    return current.delivering
  }
  const leaveOutAccount = (account: string, error: unknown) =>
    leaveOut(log, { kind: 'events of an account', id: account }, error)
  const setRight = afterSetBack(clock, async (now) => {
    await bringForward(database, options.waits, now, leaveOutAccount)
    keeper.scanNow()
  })
  const keeper = startPartitionWorker<RunningLane>({
    database,
    listener,
    registration,
    clock,
    log,
    limits,
    table: webhookLanes,
    kinds: paces,
    channel: webhooksChannel,
    scanInterval: every,
    isLost: (error) => error instanceof LostLane,
    // Whenever something is delivered, so that no time is missed that was written down.
    beforeClaim: setRight,
    async claim({ dueAccounts, start }, lease) {
      const now = clock.now()
      const accounts = together(dueAccounts, room)
      await claimFairly<LaneClaim>({
        accounts,
        now,
        limits,
        maxPerAccount: Number.POSITIVE_INFINITY,
        freeSlots: () => [...room().values()].reduce((sum, places) => sum + places, 0),
        running: () => 0,
        async claim(loads, count) {
          const asked = loads.flatMap(({ account }) => accounts.taken.get(account) ?? [])
          const order = { worker: lease.id, now, asked, count, room: room() }
          const { claims, more } = await claimWebhooks(database.shared, order)
          for (const { pace, account } of more) {
            const gave = claims.some((claim) => claim.account === account && claim.pace === pace)
            requeueAccount(dueAccounts.get(pace) as DueAccounts, account, now, gave || claims.length >= count)
          }
          return { claims, accountsWithMore: new Set() }
        },
        start: (claim) => start(lease, claim.webhook, runLane(delivering(lease), claim)),
      })
    },
  })
  const fanOut = startFanOut({
    ...{ database, listener, clock, log, every, limits, failed: leaveOutAccount },
    woken(account, webhooks) {
      const now = clock.now()
      for (const { webhook, pace } of webhooks) {
        const served = keeper.running.get(partitionKey(account, webhook))
        if (served) served.wake()
        else keeper.dueAccounts.get(pace)?.add(account, now)
      }
      keeper.wake()
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

/** The due accounts of all paces for which there is room as one, which keeps what was taken of them. */
function together(dueAccounts: ReadonlyMap<string, DueAccounts>, room: () => ReadonlyMap<Pace, number>) {
  const taken = new Map<string, AccountPace[]>()
  let withRoom: Pace[] = []
  const all: ClaimableAccounts = {
    ready(now) {
      withRoom = [...room().keys()]
      return new Set(withRoom.flatMap((pace) => [...(dueAccounts.get(pace)?.ready(now) ?? [])]))
    },
    take(account) {
      const found = withRoom.filter((pace) => dueAccounts.get(pace)?.take(account))
      const pairs = found.map((pace) => ({ account, pace }))
      taken.set(account, pairs)
      return pairs.length > 0
    },
    add(account, due) {
      for (const { pace } of taken.get(account) ?? []) dueAccounts.get(pace)?.add(account, due)
    },
    requeue() {},
  }
  return { ...all, taken }
}
