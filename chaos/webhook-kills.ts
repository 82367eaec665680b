import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { type Emitter, openEmitter } from '../tests/support/emitter.ts'
import { randomness } from '../tests/support/randomness.ts'
import type { Nodes } from './database/victims.ts'
import { retryUntilAvailable } from './databases.ts'
import {
  account,
  type Installation,
  type InstallationOptions,
  type KillableWorker,
  openInstallation,
} from './installation.ts'
import { startBundledProgram } from './processes.ts'
import { openReceivers, type Received, type Verdict } from './receivers.ts'

export interface KillOptions extends Pick<InstallationOptions, 'small' | 'opened'> {
  events: number
  kills: number
  seed: number
  /** For the control: failures are reported only after the waiting worker is dead. */
  holdFailures?: boolean
  /** Starts the worker; overridden by the negative control. */
  startWorker?: (installation: Installation) => Promise<KillableWorker>
  /** On a cluster: its nodes, which are killed as well. */
  nodes?: Nodes | undefined
  log?: (line: string) => void
}

export interface KillReport {
  events: number
  kills: number
  nodeKills?: Readonly<Record<string, number>>
  seed: number
  calls: number
  failedCalls: number
  /** Events with an unconfirmed commit, which are not verified. */
  unsure: number
  /** Other events without a successful delivery. */
  missing: number
  /** Events delivered with more than one id. */
  changedIds: number
  /** Repeated successful deliveries of the same payload. */
  duplicates: number
  /** Deliveries in progress when a worker was killed. */
  inFlightAtKills: number
  /** Leases lost by workers that were not killed. */
  leasesLost: number
  seconds: number
}

/** One event type per receiver, so that each event has one receiver. */
const types = [
  'postSent',
  'postCreated',
  'postModified',
  'postDeleted',
  'newCampaign',
  'newLead',
  'newConversion',
  'newInboxItem',
  'newAdvocacyStory',
  'newAdvocacyTopic',
]
const failingReceivers = 3
/** The retry schedule in seconds instead of hours. */
export const webhookRetryDelays = { CHORUS_WEBHOOK_RETRY_DELAYS: '200ms,400ms,1s,1s,1s,2s,2s,2s,2s' }

/** Kills the worker repeatedly while events are emitted and three of ten receivers fail; then verifies the deliveries. */
export async function webhookKills(options: KillOptions): Promise<KillReport> {
  const { events, kills, seed, holdFailures = false, small, opened, nodes, log = () => {} } = options
  const started = performance.now()
  const random = randomness(seed)
  let killed = () => {}
  const firstKill = new Promise<void>((resolve) => {
    killed = resolve
  })
  const receivers = await openReceivers(
    holdFailures ? holdUntilKilled(firstKill, failAtRandom(random)) : failAtRandom(random),
  )
  const installation = await openInstallation({ environment: webhookRetryDelays, small, opened })
  const start = options.startWorker ?? ((target: Installation) => retryUntilAvailable(target.startWorker))
  let worker = await start(installation)
  const emitter = openEmitter(installation.databaseUrl, account)
  let inFlightAtKills = 0
  let leasesLost = 0
  const unconfirmed = new Set<number>()
  try {
    for (const [index, event] of types.entries())
      await subscribe(
        installation,
        event,
        `${receivers.url}/${index < failingReceivers ? 'failing' : 'steady'}/${index}`,
      )
    const nodeKiller = nodes?.startKilling()
    const rounds = kills + 1
    for (let round = 0, number = 0; round < rounds; round++) {
      const end = Math.round((events * (round + 1)) / rounds)
      const emitting = emitAll(emitter, number, end, unconfirmed)
      if (round < kills) {
        if (holdFailures) await waitForHeldDelivery(receivers.calls)
        else await waitForRequests(receivers.calls, Math.min(300, events / rounds / 4))
        await sleep(random() * 30)
        worker.child.kill('SIGKILL')
        await worker.ended
        killed()
        await receivers.drained()
        leasesLost += countLost(worker)
        inFlightAtKills += await countInFlight(installation, receivers.calls)
        log(`kill ${round + 1} of ${kills}: ${receivers.calls.length} calls so far`)
        worker = await start(installation)
      }
      await emitting
      number = end
    }
    await nodeKiller?.stop()
    await nodes?.settled()
    await settled(installation, receivers.calls, log)
    const report = verify(receivers.calls, events, unconfirmed)
    leasesLost += countLost(worker)
    const seconds = Math.round((performance.now() - started) / 1000)
    return {
      events,
      kills,
      ...(nodes && { nodeKills: nodes.kills }),
      seed,
      ...report,
      inFlightAtKills,
      leasesLost,
      seconds,
    }
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended
    await emitter.close()
    await receivers.stop()
    await installation.stop()
  }
}

/** Steady receivers respond quickly; failing ones reject or disconnect up to three times per payload. */
const failAtRandom =
  (random: () => number): Verdict =>
  ({ path }, earlier) => {
    const after = Math.floor(random() * 20)
    if (!path.startsWith('/failing') || earlier >= 3 || random() < 0.4) return { status: 200, after }
    return { status: [500, 503, 404, 0][Math.floor(random() * 4)] as number, after }
  }

/** Until a worker is dead, failing receivers hold their responses; afterwards as usual. */
function holdUntilKilled(dead: Promise<void>, usual: Verdict): Verdict {
  let isOver = false
  dead.then(() => {
    isOver = true
  })
  return (call, earlier) =>
    isOver || !call.path.startsWith('/failing') ? usual(call, earlier) : { status: 500, after: dead }
}

async function subscribe({ admin }: Installation, event: string, url: string) {
  const { status, text } = await admin('POST /webhook', { body: { event, name: event, url } })
  if (status !== 200) throw new Error(text)
}

async function emitAll(emitter: Emitter, from: number, end: number, unconfirmed: Set<number>) {
  for (let number = from; number < end; number++) {
    const type = types[number % types.length] as string
    const event = { Number: number, Sent: Date.now(), Text: 'x'.repeat(200) }
    await emitter.emit(type, [event]).catch(async () => {
      unconfirmed.add(number)
      await sleep(100)
    })
  }
}

/** Waits until the worker is busy: a new one first waits for the lease of the previous one. */
async function waitForRequests(calls: Received[], more: number) {
  const before = calls.length
  for (let elapsed = 0; calls.length < before + more && elapsed < 120_000; elapsed += 5) await sleep(5)
}

/** Waits until a failed delivery is in progress. */
async function waitForHeldDelivery(calls: Received[]) {
  while (calls.every(({ status }) => status === 200)) await sleep(5)
}

const countLost = ({ output }: KillableWorker) => output().split('worker lease lost').length - 1

/** Payloads that were delivered but not recorded. */
async function countInFlight({ databaseUrl }: Installation, calls: Received[]): Promise<number> {
  const answered = new Set(calls.filter(({ status }) => status === 200).map(({ payloadId }) => payloadId))
  const waiting = 'select id from webhook_deliveries where due is not null'
  const rows = await retryUntilAvailable(() => ownerQuery<{ id: string }>(databaseUrl, waiting))
  return rows.filter(({ id }) => answered.has(id)).length
}

/** Waits until all deliveries are done, or none has arrived for a long time. */
async function settled({ databaseUrl }: Installation, calls: Received[], log: (line: string) => void) {
  let seen = -1
  for (let idleRounds = 0; idleRounds < 20; idleRounds = calls.length === seen ? idleRounds + 1 : 0) {
    seen = calls.length
    const [left] = await ownerQuery<{ count: number }>(
      databaseUrl,
      `select (select count(*) from event_queue)::int + (select count(*) from webhook_deliveries where due is not null)::int as count`,
    )
    if (left?.count === 0) return
    log(`${left?.count} left to deliver`)
    await sleep(1000)
  }
}

function verify(calls: Received[], events: number, unconfirmed: ReadonlySet<number>) {
  const successes = new Map<string, number>()
  const ids = new Map<number, Set<string>>()
  const arrived = new Set<number>()
  for (const { number, payloadId, status } of calls) {
    ids.set(number, (ids.get(number) ?? new Set()).add(payloadId))
    if (status !== 200) continue
    arrived.add(number)
    successes.set(payloadId, (successes.get(payloadId) ?? 0) + 1)
  }
  return {
    calls: calls.length,
    failedCalls: calls.filter(({ status }) => status !== 200).length,
    unsure: unconfirmed.size,
    missing: events - new Set([...arrived, ...unconfirmed]).size,
    changedIds: [...ids.values()].filter((known) => known.size > 1).length,
    duplicates: [...successes.values()].reduce((sum, count) => sum + count - 1, 0),
  }
}

/** Starts the negative control instead of the worker. */
export async function startControlWorker({ environment }: Installation): Promise<KillableWorker> {
  const child = await startBundledProgram('chaos/webhook-control-process.ts', {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<unknown>((resolve) => child.once('close', resolve))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return { child, ended, output: () => '' }
}
