import { sql } from 'kysely'
import { type ProfileInstallation, profileOpener } from '#areas/profiles/access/profile-row.ts'
import { acrossAccounts, type BatchLimits, defaultBatchLimits } from '#kernel/database/across-accounts.ts'
import { type Database, type Db, later } from '#kernel/database/database.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { WorkerRegistration } from '#kernel/jobs/lease.ts'
import { type Released, type RunningPartition, startPartitionWorker } from '#kernel/jobs/partitions.ts'
import { claimFairly } from '#kernel/jobs/scheduler.ts'
import type { Log } from '#kernel/log.ts'
import { defaultPollingIntervals } from '#kernel/polling-intervals.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import type { Progress } from '#networks/connector/draft.ts'
import {
  type Attempt,
  attemptSend,
  confirmSend,
  maxRetryDelay,
  type PreparedSend,
  type SendContext,
  type SendingRules,
  type SendObserver,
} from './attempt.ts'
import {
  claimProfiles,
  type ProfileClaim,
  profilePartitions,
  readProfileWakes,
  releaseProfile,
  sendsChannel,
  throttleNetwork,
  throttleProfile,
  wakeProfiles,
} from './profile-partitions.ts'
import {
  LostSend,
  needsService,
  openSendLedger,
  postponeSend,
  retrySend,
  suspendSend,
  type TakenSend,
} from './send-ledger.ts'
import type { Sendable } from './sendable.ts'

interface SenderOptions {
  installation: ProfileInstallation
  sendables: readonly Sendable[]
  listener: Listener
  registration: WorkerRegistration
  log: Log
  rules: SendingRules
  onStage?: SendObserver | undefined
  /** Milliseconds between scans over all accounts. */
  scanInterval?: number
  limits?: BatchLimits | undefined
}

interface Sender {
  /** Claims no more profiles, waits for sends in progress, and releases everything. */
  stop(): Promise<void>
}

/** Profiles a process serves at a time, and how many of them may belong to one account. */
const maxProfiles = 256
const maxPerAccount = 192
/** Milliseconds after which a profile is released if others wait. */
const turnLimit = 1_000

/** Makes due sends from this process until stopped. Any number of processes may do so; each profile is served by one. */
export async function startSender(options: SenderOptions): Promise<Sender> {
  const { installation, listener, registration, log, rules, onStage = () => {} } = options
  const { scanInterval = defaultPollingIntervals.posts, limits = defaultBatchLimits } = options
  const { database, clock } = installation
  let holdBefore = new Date(0)
  let wasSetBack = false
  const heartbeat = async () => {
    const now = clock.now()
    const beat = await recordHeartbeat(database.shared, now, rules.maxLateness)
    holdBefore = beat.holdBefore
    wasSetBack ||= beat.wasSetBack
    if (!wasSetBack) return
    await rescheduleAfterClockChange(database, rules, now, (account, error) =>
      skipRow(log, { kind: 'sends of an account', id: account }, error),
    )
    wasSetBack = false
  }
  await heartbeat()
  const byKind = new Map(options.sendables.map((sendable) => [sendable.kind, sendable]))
  const ledger = openSendLedger(installation, byKind, () => {
    const now = clock.now()
    const lateBefore = new Date(now.getTime() - rules.maxLateness)
    return { now, lateBefore, holdBefore, firstConfirmation: rules.confirmDelays[0] ?? 0 }
  })
  const context: SendContext = { installation, rules, ledger, onStage, log }

  const worker = startPartitionWorker<RunningPartition>({
    database,
    listener,
    registration,
    clock,
    log,
    limits,
    table: profilePartitions,
    channel: sendsChannel,
    scanInterval,
    isLost: (error) => error instanceof LostSend,
    beforeScan: heartbeat,
    async claim({ running, dueAccounts, start, isStopping }, lease) {
      const accounts = dueAccounts.get('')
      if (!accounts) return
      const served = new Map<string, number>()
      for (const { account } of running.values()) served.set(account, (served.get(account) ?? 0) + 1)
      const now = clock.now()
      const mustYield = (since: number) =>
        isStopping() || (performance.now() > since + turnLimit && running.size >= maxProfiles)
      await claimFairly<ProfileClaim>({
        accounts,
        now,
        limits,
        maxPerAccount,
        freeSlots: () => maxProfiles - running.size,
        running: (account) => served.get(account) ?? 0,
        claim: (loads, count) =>
          claimProfiles(database.shared, { worker: lease.id, now, count, maxPerAccount, accounts: loads }),
        start(claim) {
          served.set(claim.account, (served.get(claim.account) ?? 0) + 1)
          const done = serveProfile(context, lease.id, claim, mustYield)
          start(lease, claim.credential, { account: claim.account, done })
        },
      })
    },
  })
  return { stop: worker.stop }
}

/** Makes the due sends of a profile one after the other, until there are none or its turn is over. */
async function serveProfile(
  context: SendContext,
  worker: string,
  claim: ProfileClaim,
  mustYield: (since: number) => boolean,
): Promise<Released | undefined> {
  const { installation } = context
  const db = installation.database.forAccount(claim.account)
  const open = profileOpener(installation, { accountId: claim.account, id: claim.credential })
  const since = performance.now()
  let { wakes } = claim
  for (;;) {
    if (!mustYield(since) && (await serveNext(context, db, claim, open))) continue
    const released = await releaseProfile(db, worker, { ...claim, wakes })
    if (released) return released
    const current = await readProfileWakes(db, worker, claim)
    if (current === undefined) return undefined
    wakes = current
  }
}

/** Returns whether there was a send. */
async function serveNext(context: SendContext, db: Db, claim: ProfileClaim, open: OpenProfile): Promise<boolean> {
  const taken = await context.ledger.take(claim)
  if (!taken) return false
  if (!needsService(taken)) return true
  context.onStage('taken', taken.send)
  try {
    await serveSend(context, db, taken, open)
  } catch (error) {
    // It was changed, deleted or held in the meantime.
    if (!(error instanceof LostSend)) throw error
  }
  return true
}

const unknownKind = 'This version of the service does not know how to send it.'
const minute = 60_000

type OpenProfile = ReturnType<typeof profileOpener>

async function serveSend(
  context: SendContext,
  db: Db,
  { send, sendable, content, profile }: TakenSend,
  open: OpenProfile,
) {
  const { clock } = context.installation
  if (!sendable) return postponeSend(db, send, new Date(clock.now().getTime() + minute), unknownKind)
  const prepared: PreparedSend = { send, sendable, content, openProfile: () => open(profile) }
  if (content === undefined)
    return recordAttempt(context, db, prepared, {
      outcome: { kind: 'failed', error: 'What was to be sent is gone.' },
      progress: null,
    })
  if (send.state !== 'unknown') return recordAttempt(context, db, prepared, await attemptSend(context, db, prepared))
  const { confirmations, ...outcome } = await confirmSend(context, prepared)
  return recordAttempt(context, db, { ...prepared, send: { ...send, confirmations } }, { outcome, progress: null })
}

async function recordAttempt(
  { installation, ledger, onStage }: SendContext,
  db: Db,
  { send, content, sendable }: PreparedSend,
  { outcome, progress }: Attempt,
) {
  const now = installation.clock.now()
  switch (outcome.kind) {
    case 'sent':
    case 'failed':
    case 'unconfirmed':
      if (!(await ledger.complete(sendable, { send, content, outcome })))
        throw new LostSend('Another process has taken the send over.')
      return onStage('completed', send)
    case 'retry': {
      const { due, error, throttle } = outcome
      if (throttle?.scope === 'network') await throttleNetwork(db, send.network, throttle.until)
      if (throttle?.scope === 'profile') await throttleProfile(db, send.accountId, send.credentialId, throttle.until)
      return retrySend(db, sendable, send, { due, now, progress: resumable(progress), error })
    }
    case 'pending':
      return suspendSend(db, send, {
        state: outcome.progress.stage === 'committed' ? 'sending' : 'preparing',
        due: outcome.due,
        progress: outcome.progress,
      })
    case 'confirm':
      // The saved progress stays: it helps to find the send.
      return suspendSend(db, send, { state: 'unknown', due: outcome.due, error: outcome.error })
  }
}

/** A request that was refused is repeated from the checkpoint before it. */
const resumable = (progress: Progress | null) => (progress?.stage === 'committing' ? null : progress)

interface Heartbeat {
  /** Sends planned before this are held for a user's decision. */
  holdBefore: Date
  /** The previous heartbeat is in the future: the clock was set back. Reported to one process only. */
  wasSetBack: boolean
}

const heartbeatInterval = 5_000
/** More than the clocks of several hosts are expected to differ. */
const clockTolerance = 60_000

/**
 * Records that sending is running. After a gap longer than the permitted lateness, all missed sends are held for a user's decision, even if
 * they are only slightly late: the database may be an old copy whose waiting sends were made long ago.
 */
async function recordHeartbeat(db: Db, now: Date, maxLateness: number): Promise<Heartbeat> {
  const { rows } = await sql<Heartbeat>`
    with before as (select alive from sending_state where alive > ${new Date(now.getTime() + clockTolerance)} ${lockRows('sendingState', 'update')}),
    beat as (
      insert into sending_state (alive, hold_before) values (${now}, 'epoch')
      on conflict (singleton) do update set alive = excluded.alive,
        hold_before = case when sending_state.alive < ${new Date(now.getTime() - maxLateness)} then excluded.alive
          else least(sending_state.hold_before, excluded.alive) end
      where sending_state.alive < ${new Date(now.getTime() - heartbeatInterval)} or exists (select from before)
      returning hold_before)
    select hold_before, exists (select from before) as was_set_back from beat
    union all select hold_before, false from sending_state where not exists (select from beat) limit 1`.execute(db)
  return rows[0] ?? { holdBefore: new Date(0), wasSetBack: false }
}

/**
 * Run after a restore: however recent the backup is, its waiting sends may have been made since, so the first process holds them for a
 * user's decision. A backup of an older version has the table under its former name.
 */
export const restoreMarks = ['sending_state', 'engine_state'].map((table) => ({
  table,
  statement: `insert into public.${table} (alive, hold_before) values ('epoch', 'epoch')
    on conflict (singleton) do update set alive = excluded.alive`,
}))

/**
 * After the clock was set back: sends that were postponed while it ran ahead are due now instead of when the clock reaches that time again.
 * Sends that were never attempted keep their planned time. A failure in one account does not stop the others.
 */
async function rescheduleAfterClockChange(
  database: Database,
  { maxLateness, confirmDelays }: SendingRules,
  now: Date,
  onAccountError: (account: string, error: unknown) => void,
) {
  const { shared } = database
  const latest = new Date(now.getTime() + Math.max(maxLateness, maxRetryDelay, ...confirmDelays) + minute)
  // If a network still throttles us, it will report that again.
  await sql`delete from network_publishing_pauses where until > ${latest}`.execute(shared)
  const rescheduleAccount = (accountId: string) =>
    database.transaction(accountId, async (db) => {
      const { rows: sends } = await sql<{ credential: string; network: string }>`
        update sends set due = ${now} where account_id = ${accountId} and due > ${latest} and attempts > 0
        returning credential_id as credential, network`.execute(db)
      await later(
        db,
        sql`update profile_partitions set not_before = null where account = ${accountId} and not_before > ${latest}`,
      )
      await wakeProfiles(
        { db, accountId, now },
        sends.map((send) => ({ ...send, due: now })),
      )
    })
  const { rows } = await sql<{ account: string }>`
    select distinct account from profile_partitions where due is not null or not_before > ${latest}
    ${acrossAccounts('work delayed by a clock change')}`.execute(shared)
  for (const { account } of rows) await rescheduleAccount(account).catch((error) => onAccountError(account, error))
}
