import { afterSetBack } from '#kernel/clock.ts'
import { type BatchLimits, defaultBatchLimits } from '#kernel/database/across-accounts.ts'
import type { Listener } from '#kernel/database/listener.ts'
import { newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import type { DueAccounts } from '#kernel/jobs/due-accounts.ts'
import type { Lease, WorkerRegistration } from '#kernel/jobs/lease.ts'
import { partitionKey, type Released, type RunningPartition, startPartitionWorker } from '#kernel/jobs/partitions.ts'
import { type ClaimableAccounts, claimFairly, requeueAccount } from '#kernel/jobs/scheduler.ts'
import type { Log } from '#kernel/log.ts'
import { defaultPollingIntervals } from '#kernel/polling-intervals.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import {
  type CallSlots,
  callsPerWebhook,
  createCallSlots,
  maxWebhooks,
  type Pace,
  paces,
  slowAfter,
} from './call-slots.ts'
import { webhookIds } from './declarations.ts'
import {
  type AccountPace,
  cancelPending,
  claimWebhooks,
  createRecorder,
  type DeliveryCursor,
  type DueDelivery,
  disabledByUser,
  firstDelivery,
  readDue,
  releaseWebhook,
  rescheduleAfterClockChange,
  type WebhookClaim,
  type WebhookRow,
  webhookPartitions,
  webhooksChannel,
} from './deliveries.ts'
import { startFanOut } from './fan-out.ts'
import {
  type CallResult,
  maxRetryDelay,
  type Receiver,
  readFailure,
  readResponse,
  rememberReceiver,
  requestFor,
  retryDelay,
} from './request.ts'
import { disableIfFailing } from './webhook.ts'

interface DelivererOptions extends Installation {
  listener: Listener
  registration: WorkerRegistration
  log: Log
  userAgent: string
  /** Milliseconds between attempts. */
  retryDelays: readonly number[]
  /** Milliseconds between scans over all accounts. */
  scanInterval?: number
  limits?: BatchLimits | undefined
}

interface Deliverer {
  /** Claims no more webhooks, waits for calls in progress, and releases everything. */
  stop(): Promise<void>
}

const demoteInterval = 250
/** Milliseconds after which a webhook is released if others wait. */
const turnLimit = 1_000
const deliveriesPerRead = 64

/** Delivers events to webhooks from this process until stopped. Any number of processes may do so; each webhook is served by one. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, clock, listener, registration, log } = options
  const { scanInterval = defaultPollingIntervals.webhooks, limits = defaultBatchLimits } = options
  const slots = createCallSlots()
  let current: { lease: Lease; context: DeliveryContext } | undefined

  const freeOf = (pace: Pace) => {
    let served = 0
    for (const webhook of worker.running.values()) if (webhook.pace() === pace) served++
    return maxWebhooks[pace] - served
  }
  const freeSlots = () => new Map(paces.filter((pace) => freeOf(pace) > 0).map((pace) => [pace, freeOf(pace)]))
  const contextFor = (lease: Lease): DeliveryContext => {
    if (current?.lease === lease) return current.context
    const { retryDelays, userAgent } = options
    const context: DeliveryContext = {
      installation: options,
      worker: lease.id,
      slots,
      record: createRecorder(database, lease.id),
      retryDelays,
      userAgent,
      mustYield: (pace, since) => worker.isStopping() || (performance.now() > since + turnLimit && freeOf(pace) <= 0),
    }
    current = { lease, context }
    return context
  }
  const onAccountError = (account: string, error: unknown) =>
    skipRow(log, { kind: 'events of an account', id: account }, error)

  const worker = startPartitionWorker<RunningWebhook>({
    database,
    listener,
    registration,
    clock,
    log,
    limits,
    table: webhookPartitions,
    kinds: paces,
    channel: webhooksChannel,
    scanInterval,
    isLost: (error) => error instanceof LostWebhook,
    // Before every claim, so that no due time is missed that was written with the clock ahead.
    beforeClaim: afterSetBack(clock, async (now) => {
      await rescheduleAfterClockChange(database, options.retryDelays.map(maxRetryDelay), now, onAccountError)
      worker.scanNow()
    }),
    async claim({ dueAccounts, start }, lease) {
      const now = clock.now()
      const accounts = combinePaces(dueAccounts, () => [...freeSlots().keys()])
      await claimFairly<WebhookClaim>({
        accounts,
        now,
        limits,
        maxPerAccount: Number.POSITIVE_INFINITY,
        freeSlots: () => [...freeSlots().values()].reduce((sum, free) => sum + free, 0),
        running: () => 0,
        async claim(loads, count) {
          const accountPaces = loads.flatMap(({ account }) => accounts.taken.get(account) ?? [])
          const order = { worker: lease.id, now, accountPaces, count, freeSlots: freeSlots() }
          const { claims, accountsWithMore } = await claimWebhooks(database.shared, order)
          for (const { pace, account } of accountsWithMore) {
            const hasClaims = claims.some((claim) => claim.account === account && claim.pace === pace)
            requeueAccount(dueAccounts.get(pace) as DueAccounts, account, now, hasClaims || claims.length >= count)
          }
          // Requeued above, by pace.
          return { claims, accountsWithMore: new Set() }
        },
        start: (claim) => start(lease, claim.webhook, serveWebhook(contextFor(lease), claim)),
      })
    },
  })
  const fanOut = startFanOut({
    database,
    listener,
    clock,
    log,
    limits,
    scanInterval,
    onAccountError,
    onWoken(account, webhooks) {
      const now = clock.now()
      for (const { webhook, pace } of webhooks) {
        const served = worker.running.get(partitionKey(account, webhook))
        if (served) served.wake()
        else worker.dueAccounts.get(pace)?.add(account, now)
      }
      worker.wake()
    },
  })
  const demoting = setInterval(slots.demoteSlow, demoteInterval)
  return {
    async stop() {
      clearInterval(demoting)
      await Promise.all([fanOut.stop(), worker.stop()])
    },
  }
}

/** Presents the due accounts of all paces with free slots as one, and remembers under which paces an account was taken. */
function combinePaces(dueAccounts: ReadonlyMap<string, DueAccounts>, pacesWithSlots: () => Pace[]) {
  const taken = new Map<string, AccountPace[]>()
  let available: Pace[] = []
  const combined: ClaimableAccounts = {
    ready(now) {
      available = pacesWithSlots()
      return new Set(available.flatMap((pace) => [...(dueAccounts.get(pace)?.ready(now) ?? [])]))
    },
    take(account) {
      const found = available.filter((pace) => dueAccounts.get(pace)?.take(account))
      taken.set(
        account,
        found.map((pace) => ({ account, pace })),
      )
      return found.length > 0
    },
    add(account, due) {
      for (const { pace } of taken.get(account) ?? []) dueAccounts.get(pace)?.add(account, due)
    },
    requeue() {},
  }
  return { ...combined, taken }
}

interface DeliveryContext {
  installation: Installation
  worker: string
  slots: CallSlots
  record: ReturnType<typeof createRecorder>
  retryDelays: readonly number[]
  userAgent: string
  /** Whether a webhook served since then must be released. */
  mustYield(pace: Pace, since: number): boolean
}

interface RunningWebhook extends RunningPartition {
  /** Called when deliveries were added. */
  wake(): void
  pace(): Pace
}

/** Delivers to a webhook, a few calls at a time, until nothing is due or its turn is over. */
function serveWebhook(context: DeliveryContext, claim: WebhookClaim): RunningWebhook {
  const { worker, installation } = context
  const { clock } = installation
  const db = installation.database.forAccount(claim.account)
  let since = performance.now()
  const calls = new Set<Promise<void>>()
  const failures: unknown[] = []
  let pace: Pace = claim.pace
  let notify: (added: boolean) => void = () => {}
  /** Deliveries were added since the last read. */
  let isWoken = false
  let cursor: DeliveryCursor = firstDelivery
  const receiverFor = rememberReceiver(installation, claim.account)

  /** Resolves when a call has ended, with false, or when deliveries were added, with true. */
  const nextChange = () =>
    new Promise<boolean>((resolve) => {
      notify = resolve
    })

  const startCall = (receiver: Receiver, delivery: DueDelivery) => {
    const call: Call = { claim, receiver, delivery, pace, onSlow: () => (pace = 'slow') }
    const run = async () => {
      try {
        pace = await makeCall(context, call)
      } catch (error) {
        failures.push(error)
      }
      calls.delete(running)
      notify(false)
    }
    const running = run()
    calls.add(running)
  }

  const sendAll = async (row: WebhookRow, deliveries: DueDelivery[]) => {
    if (deliveries.length === 0) return
    const receiver = receiverFor(row)
    for (const delivery of deliveries) {
      while (calls.size >= callsPerWebhook[pace]) await nextChange()
      if (failures.length > 0) return
      startCall(receiver, delivery)
    }
  }

  /** Reads from the oldest again: a process whose clock is behind may have added a delivery before the cursor. */
  const restart = async () => {
    await Promise.all(calls)
    cursor = firstDelivery
    since = performance.now()
  }

  const run = async (): Promise<Released | undefined> => {
    for (;;) {
      const isTurnOver = performance.now() > since + turnLimit
      const count = context.mustYield(pace, since) ? 0 : deliveriesPerRead
      if (isTurnOver && count > 0) await restart()
      isWoken = false
      const read = await readDue(db, claim, cursor, clock.now(), count)
      if (!read || failures.length > 0) break
      const { row, deliveries } = read
      // Deliveries may have been added while it was being disabled.
      if (!row.isEnabled) await cancelPending({ db, accountId: claim.account }, claim.webhook, disabledByUser)
      await sendAll(row, deliveries)
      cursor = deliveries.at(-1) ?? cursor
      if (count > 0 && deliveries.length === count) continue
      // Nothing more is due: the webhook is released once its calls have ended, unless deliveries are added in the meantime.
      let added = false
      while (calls.size > 0 && !added) added = await nextChange()
      if (added || failures.length > 0) continue
      const released = await releaseWebhook(db, worker, claim, { pace, wakes: row.wakes, now: clock.now() })
      // A wake during the release reached only this function, so it must be passed on.
      if (released) return { due: isWoken ? clock.now() : released.due, kind: pace }
    }
    await Promise.all(calls)
    if (failures.length > 0) throw failures[0]
    return undefined
  }
  const wake = () => {
    isWoken = true
    notify(true)
  }
  return { account: claim.account, wake, pace: () => pace, done: run() }
}

/** Thrown when another process has claimed the webhook; it resends deliveries that were not recorded. */
class LostWebhook extends Error {
  override name = 'LostWebhook'
}

interface Call {
  claim: WebhookClaim
  receiver: Receiver
  delivery: DueDelivery
  pace: Pace
  /** Called while the response is still outstanding. */
  onSlow(): void
}

/**
 * Makes one call in a slot of its pace, records the result, and returns the pace the receiver has shown. Deliberately a single async
 * function: this is the hot path, and every further await is measurable.
 */
async function makeCall(context: DeliveryContext, call: Call): Promise<Pace> {
  const { installation, slots, userAgent, retryDelays, record } = context
  const { clock, outbound } = installation
  const { claim, receiver, delivery } = call
  const acquired = slots.acquire(call.pace, call.onSlow)
  const slot = acquired instanceof Promise ? await acquired : acquired
  const at = clock.now()
  let result: CallResult
  try {
    result = readResponse(await outbound.send(requestFor(userAgent, receiver, delivery, at)), at)
  } catch (error) {
    result = readFailure(error)
  } finally {
    slot.release()
  }
  const seconds = Math.round(performance.now() - slot.started) / 1000
  const attempt = delivery.attempts + 1
  const delay = result.succeeded || result.gone ? undefined : retryDelay(attempt, result, retryDelays)
  const health = await record(claim.account, {
    logId: newId(webhookIds.webhookLog, at),
    id: delivery.id,
    webhook: claim.webhook,
    fence: claim.fence,
    eventId: delivery.eventId,
    at,
    seconds,
    attempt,
    succeeded: result.succeeded,
    status: result.status,
    error: result.error,
    due: delay === undefined ? null : new Date(clock.now().getTime() + delay),
  })
  if (!health) throw new LostWebhook(`The webhook ${claim.webhook} is served by another process.`)
  if (!result.succeeded) await disableIfFailing(installation, claim, result, health.failingSince)
  return seconds * 1000 < slowAfter ? 'fast' : 'slow'
}
