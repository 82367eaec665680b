import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { type BatchLimits, defaultBatchLimits } from '#kernel/database/across-accounts.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Lease, WorkerRegistration } from '#kernel/jobs/lease.ts'
import { type RunningPartition, startPartitionWorker } from '#kernel/jobs/partitions.ts'
import { claimFairly } from '#kernel/jobs/scheduler.ts'
import type { Log } from '#kernel/log.ts'
import { usualRhythm } from '#kernel/rhythm.ts'
import { leaveOut } from '#kernel/unreadable.ts'
import { bringForward, stayAlive } from './alive.ts'
import { openSendBatches } from './batches.ts'
import { runLane } from './lane.ts'
import { claimProfiles, type LaneClaim, profileLanes, sendsChannel } from './lanes.ts'
import { LostSend } from './send-writes.ts'
import type { Sendable } from './sendable.ts'
import type { Sending, SendingRules, Watch } from './sending.ts'

export interface EngineOptions {
  installation: ProfileInstallation
  sendables: readonly Sendable[]
  listener: Listener
  registration: WorkerRegistration
  log: Log
  rules: SendingRules
  /** Is told where sends have come to. */
  watch?: Watch | undefined
  /** Milliseconds from one look over all accounts to the next. */
  every?: number
  limits?: BatchLimits | undefined
}

export interface Engine {
  /** Takes no more profiles, lets sends under way finish, lets go of everything. */
  stop(): Promise<void>
}

/** How many profiles one process serves at a time. */
const places = 128
/** How many of them may be one account's. */
const maxPerAccount = 96

/** Sends from this process until it is stopped. Any number of processes may do so at once; each profile has one. */
export async function startEngine({
  installation,
  sendables,
  listener,
  registration,
  log,
  rules,
  watch = () => {},
  every = usualRhythm.posts,
  limits = defaultBatchLimits,
}: EngineOptions): Promise<Engine> {
  const { database, clock } = installation
  let holdBefore = new Date(0)
  let wasSetBack = false
  const leaveOutAccount = (account: string, error: unknown) =>
    leaveOut(log, { kind: 'sends of an account', id: account }, error)
  const beAlive = async () => {
    const now = clock.now()
    const sign = await stayAlive(database.shared, now, rules.lateness)
    holdBefore = sign.holdBefore
    wasSetBack ||= sign.wasSetBack
    if (!wasSetBack) return
    await bringForward(database, rules, now, leaveOutAccount)
    wasSetBack = false
  }
  await beAlive()
  const byKind = new Map(sendables.map((sendable) => [sendable.kind, sendable]))
  const batches = openSendBatches(installation, byKind, () => {
    const now = clock.now()
    const lateBefore = new Date(now.getTime() - rules.lateness)
    return { now, lateBefore, holdBefore, firstSearch: rules.searches[0] ?? 0 }
  })
  let current: { lease: Lease; sending: Sending } | undefined

  const isCrowded = () => keeper.running.size >= places
  const sendingFor = (lease: Lease): Sending => {
    if (current?.lease === lease) return current.sending
    const made = {
      installation,
      worker: lease.id,
      rules,
      batches,
      watch,
      log,
      stopping: keeper.isStopping,
      isCrowded,
    }
    current = { lease, sending: made }
    return made
  }
  const keeper = startPartitionWorker<RunningPartition>({
    database,
    listener,
    registration,
    clock,
    log,
    limits,
    table: profileLanes,
    channel: sendsChannel,
    scanInterval: every,
    isLost: (error) => error instanceof LostSend,
    beforeScan: beAlive,
    async claim({ running, dueAccounts, start }, lease) {
      const accounts = dueAccounts.get('')
      if (!accounts) return
      const served = new Map<string, number>()
      for (const { account } of running.values()) served.set(account, (served.get(account) ?? 0) + 1)
      const now = clock.now()
      await claimFairly<LaneClaim>({
        accounts,
        now,
        limits,
        maxPerAccount,
        freeSlots: () => places - running.size,
        running: (account) => served.get(account) ?? 0,
        claim: (loads, count) =>
          claimProfiles(database.shared, { worker: lease.id, now, count, maxPerAccount, accounts: loads }),
        start(claim) {
          served.set(claim.account, (served.get(claim.account) ?? 0) + 1)
          start(lease, claim.credential, runLane(sendingFor(lease), claim))
        },
      })
    },
  })
  return { stop: keeper.stop }
}
