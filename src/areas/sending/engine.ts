import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import { type Reach, usualReach } from '#kernel/agenda/reach.ts'
import { serveAccounts } from '#kernel/agenda/serve.ts'
import type { Listener } from '#kernel/database/listener.ts'
import type { Life, Lives } from '#kernel/jobs/worker-life.ts'
import { type RunningLane, startLaneKeeper } from '#kernel/lanes/lane-keeper.ts'
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
  lives: Lives
  log: Log
  rules: SendingRules
  /** Is told where sends have come to. */
  watch?: Watch | undefined
  /** Milliseconds from one look over all accounts to the next. */
  every?: number
  reach?: Reach | undefined
}

export interface Engine {
  /** Takes no more profiles, lets sends under way finish, lets go of everything. */
  stop(): Promise<void>
}

/** How many profiles one process serves at a time. */
const places = 128
/** How many of them may be one account's. */
const share = 96

/** Sends from this process until it is stopped. Any number of processes may do so at once; each profile has one. */
export async function startEngine({
  installation,
  sendables,
  listener,
  lives,
  log,
  rules,
  watch = () => {},
  every = usualRhythm.posts,
  reach = usualReach,
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
  let current: { life: Life; sending: Sending } | undefined

  const isCrowded = () => keeper.lanes.size >= places
  const sendingFor = (life: Life): Sending => {
    if (current?.life === life) return current.sending
    const made = {
      installation,
      worker: life.id,
      rules,
      batches,
      watch,
      log,
      stopping: keeper.stopping,
      isCrowded,
    }
    current = { life, sending: made }
    return made
  }
  const keeper = startLaneKeeper<RunningLane>({
    ...{ database, listener, lives, clock, log, table: profileLanes, channel: sendsChannel, every, reach },
    isLoss: (error) => error instanceof LostSend,
    tick: beAlive,
    async take({ lanes, agendas, start }, life) {
      const agenda = agendas.get('')
      if (!life || !agenda) return
      const served = new Map<string, number>()
      for (const { account } of lanes.values()) served.set(account, (served.get(account) ?? 0) + 1)
      const now = clock.now()
      await serveAccounts<LaneClaim>({
        ...{ agenda, now, reach, share, free: () => places - lanes.size },
        running: (account) => served.get(account) ?? 0,
        claim: (accounts, count) => claimProfiles(database.shared, { worker: life.id, now, count, share, accounts }),
        start(claim) {
          served.set(claim.account, (served.get(claim.account) ?? 0) + 1)
          start(life, claim.credential, runLane(sendingFor(life), claim))
        },
      })
    },
  })
  return { stop: keeper.stop }
}
