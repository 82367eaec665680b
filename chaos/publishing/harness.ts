import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { recordAuditEntry } from '#areas/account/audit.ts'
import { systemClock } from '#kernel/clock.ts'
import { type Database, openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import type { Installation } from '#kernel/installation.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { prepareDemo } from '#main/demo.ts'
import { openFiles } from '#main/process/storage.ts'
import { react } from '#main/registry.ts'
import { type Caller, caller } from '../../tests/support/caller.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import type { Nodes } from '../database/victims.ts'
import { type Databases, retryUntilAvailable } from '../databases.ts'
import { account } from '../installation.ts'
import {
  type Programs,
  type RunningService,
  type ServiceChild,
  startChild,
  startInProcess,
  startNetworks,
  startNetworksInProcess,
} from '../processes.ts'
import type { Command } from './service-process.ts'

/** Prefix of all posts of a run, which posts of the demo do not have. */
export const postPrefix = 'Out now:'

export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>

/** One action of a profile on its network. */
export interface LedgerEntry {
  network: string
  profile: string
  remoteId: string
  text: string
  at: string
}

/** Sandbox networks, a database with a workspace, and processes of the service. */
export interface Harness {
  databaseUrl: string
  /** Base URL of the API. */
  url: string
  /** The keyring of all processes, as text. */
  keys: string
  installation: Installation & { database: Database }
  admin: Caller
  control(path: string, body: object): Promise<unknown>
  /** Ledger entries of the run's posts, or of another kind; an empty kind returns all. */
  ledger(kind?: string): Promise<LedgerEntry[]>
  query: Query
  startWorker(environment?: Record<string, string>): Promise<RunningService>
  /** Starts a worker that can be killed. */
  startWorkerProcess(): Promise<ServiceChild>
  stop(): Promise<void>
}

export interface HarnessOptions extends Pick<RunOptions, 'programs' | 'databases' | 'inside'> {
  /** Environment variables of every process. */
  environment: Record<string, string>
  /** Latency range of the networks in milliseconds. */
  latency?: [from: number, to: number]
}

export async function openHarness(options: HarnessOptions): Promise<Harness> {
  const { programs, databases, inside, environment, latency = [50, 200] } = options
  const folder = await temporaryFolder()
  const newDemo = { key: 'chaos-key-0001', keyring: newKeyring(), folder: folder.path }
  const { url: databaseUrl, demo = newDemo, drop } = await databases.fresh()
  const networks = await (inside ? startNetworksInProcess(latency) : startNetworks(programs.sandbox, latency))
  const shared = {
    CHORUS_PORT: '0',
    CHORUS_DEMO: '1',
    CHORUS_DATA_DIR: demo.folder,
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_SANDBOX_PORT: new URL(networks.url).port,
    CHORUS_SECRET_KEYS: demo.keyring,
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_LOG_LEVEL: process.env.CHAOS_LOG ?? 'silent',
    // Polling is off by default.
    CHORUS_POLL_SECONDS: '0',
    ...environment,
  }
  const queries = openQueries(databaseUrl)
  const installation = {
    database: openDatabase({ url: databaseUrl, connections: 8, patience: 60_000 }),
    listener: undefined,
    clock: systemClock,
    keyring: readKeyring(shared.CHORUS_SECRET_KEYS),
    outbound: openOutbound({ allow: [] }),
    files: openFiles({ storageUrl: { kind: 'files' }, dataDir: demo.folder }),
    accountLimits: {},
    react,
    publicUrl: () => 'http://chaos.test',
    shortUrl: () => 'http://chaos.test/l',
    lateness: 60 * 60 * 1000,
    appOptions: () => undefined,
    recordAuditEntry,
  }
  await prepareDemo(installation, demo.key, networks.url)
  // As at a first start.
  await ownerQuery(databaseUrl, 'analyze')
  const start = inside
    ? startInProcess
    : (processEnvironment: Record<string, string>) => startChild(programs.service, processEnvironment)
  const api = await start({ ...shared, CHORUS_ROLES: 'api' })
  // Media is downloaded from the API process.
  const workerEnvironment = { ...shared, CHORUS_ROLES: 'worker', CHORUS_PUBLIC_URL: api.url }
  const control = async (path: string, body?: object) => {
    const response = await fetch(`${networks.url}/__sandbox${path}`, {
      headers: { authorization: 'Bearer sandbox', 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }
  return {
    databaseUrl,
    url: api.url,
    keys: demo.keyring,
    installation,
    control,
    admin: caller(api.url, account, demo.key),
    async ledger(kind = 'post') {
      const { entries } = (await control(`/ledger?kind=${kind}`)) as { entries: LedgerEntry[] }
      return entries.filter(({ text }) => text.startsWith(postPrefix))
    },
    query: queries.query,
    startWorker: (more = {}) => start({ ...workerEnvironment, ...more }),
    startWorkerProcess: () => startChild(programs.service, workerEnvironment),
    async stop() {
      await api.stop()
      await installation.files.inspector.close()
      await installation.outbound.close()
      await installation.database.close()
      await queries.close()
      await networks.stop()
      await drop()
      await folder.remove()
    },
  }
}

/** Queries a database as its owner, across all accounts, over pooled connections. */
export function openQueries(databaseUrl: string): { query: Query; close(): Promise<void> } {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, application_name: 'chaos' })
  pool.on('error', () => {})
  return { query: async (text, values) => (await pool.query(text, values)).rows, close: () => pool.end() }
}

/** A harness with a pool of workers. */
export interface WorkerHarness {
  harness: Harness
  pool: WorkerPool
  stop(): Promise<void>
}

interface WorkerHarnessOptions extends HarnessOptions {
  /** An existing one. */
  workerHarness?: WorkerHarness | undefined
  workers: number
}

/** Opens a harness with workers, or uses the given one, which is not stopped. */
export async function openWorkerHarness({
  workerHarness,
  workers,
  ...rest
}: WorkerHarnessOptions): Promise<WorkerHarness> {
  if (workerHarness) return { ...workerHarness, stop: async () => {} }
  const harness = await openHarness(rest)
  const pool = await startWorkerPool(harness, workers)
  const stop = async () => {
    await pool.stop()
    await harness.stop()
  }
  return { harness, pool, stop }
}

/** Options of every run. */
export interface RunOptions {
  programs: Programs
  databases: Databases
  seed: number
  /** Runs the networks and processes that are not killed in this process, for small runs. */
  inside?: true
  /** A harness shared by consecutive small runs. */
  workerHarness?: WorkerHarness | undefined
  /** On a cluster: its nodes, which are killed as well. */
  nodes?: Nodes | undefined
  log?: (line: string) => void
}

/** A worker with its worker id. */
interface PoolWorker {
  name: string
  worker: ServiceChild
}

export interface WorkerPool {
  /** Waits until the slot has a worker. */
  whenReady(slot: number): Promise<unknown>
  /** Kills the worker in a slot at the given failpoint; resolves when it is dead and its replacement is starting. */
  kill(slot: number, order: Command): Promise<void>
  /** Takeover times of profiles with due sends, in milliseconds. */
  takeovers(): Promise<number[]>
  stop(): Promise<void>
}

/** Starts workers that are replaced when they die. */
async function startWorkerPool(harness: Harness, size: number): Promise<WorkerPool> {
  let starting: Promise<unknown> = Promise.resolve()
  const known = new Set<string>()
  const names = async () =>
    (await retryUntilAvailable(() => harness.query<{ id: string }>('select id from job_workers'))).map(({ id }) => id)
  /** Started sequentially, so that the new id belongs to the new worker. */
  const start = (): Promise<PoolWorker> => {
    const started = starting.then(async () => {
      const worker = await retryUntilAvailable(harness.startWorkerProcess)
      const name = (await names()).find((id) => !known.has(id)) ?? ''
      known.add(name)
      return { name, worker }
    })
    starting = started.catch(() => {})
    return started
  }
  const slots = Array.from({ length: size }, start)
  await Promise.all(slots)
  const takeoverTimes: Promise<number | undefined>[] = []
  let stopping = false
  return {
    whenReady: async (slot) => slots[slot],
    async kill(slot, order) {
      const { name, worker } = (await slots[slot]) as PoolWorker
      await worker.send(order)
      await worker.ended
      if (stopping) return
      takeoverTimes.push(takeover(harness, name))
      slots[slot] = start()
    },
    takeovers: async () => (await Promise.all(takeoverTimes)).filter((wait) => wait !== undefined),
    async stop() {
      stopping = true
      for (const { worker } of await Promise.all(slots)) {
        worker.child.kill('SIGKILL')
        await worker.ended
      }
    },
  }
}

const pollMs = 50
const takeoverTimeoutMs = 60_000

/** Time until no profile with due sends is still assigned to the dead worker. */
async function takeover(harness: Harness, worker: string): Promise<number | undefined> {
  const started = performance.now()
  const assigned = await retryUntilAvailable(() =>
    harness.query<{ account: string; credential: string }>(
      `select account, credential from profile_partitions l where worker = $1 and exists (
         select from sends s where s.account_id = l.account and s.credential_id = l.credential and s.due <= now())`,
      [worker],
    ),
  )
  if (assigned.length === 0) return undefined
  const values = [worker, assigned.map(({ account }) => account), assigned.map(({ credential }) => credential)]
  while (performance.now() - started < takeoverTimeoutMs) {
    const text =
      'select from profile_partitions where worker = $1 and account = any($2) and credential = any($3) limit 1'
    const left = await retryUntilAvailable(() => harness.query(text, values))
    if (left.length === 0) return Math.round(performance.now() - started)
    await sleep(pollMs)
  }
  return takeoverTimeoutMs
}
