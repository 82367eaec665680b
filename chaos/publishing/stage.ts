import pg from 'pg'
import { recordDeed } from '#areas/account/audit/audit.ts'
import { systemClock } from '#kernel/clock.ts'
import { type Database, openDatabase } from '#kernel/database/database.ts'
import type { Installation } from '#kernel/installation.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { prepareDemo } from '#main/demo.ts'
import { openFiles } from '#main/process/storage.ts'
import { react } from '#main/registry.ts'
import { type Caller, caller } from '../../tests/support/caller.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { account } from '../installation.ts'
import type { RunOptions } from './run-options.ts'
import { type ServiceChild, startChild, startNetworks } from './service-child.ts'
import { type RunningService, startInside, startNetworksInside } from './service-inside.ts'

/** How every post of a run begins; those of the demo workspace do not. */
export const opening = 'Out now:'

export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>

/** One thing a profile did at its network. */
export interface LedgerEntry {
  network: string
  profile: string
  remoteId: string
  text: string
  at: string
}

/** Networks, a database with a workspace, and processes of the service between the two. */
export interface Stage {
  databaseUrl: string
  /** Where the interface is. */
  url: string
  /** The keyring of all processes, as text. */
  keys: string
  installation: Installation & { database: Database }
  admin: Caller
  control(path: string, body: object): Promise<unknown>
  /** What the networks have of the run's posts, or of another kind of things; of all where it is empty. */
  ledger(kind?: string): Promise<LedgerEntry[]>
  query: Query
  startWorker(environment?: Record<string, string>): Promise<RunningService>
  /** One that can be killed. */
  startWorkerProcess(): Promise<ServiceChild>
  stop(): Promise<void>
}

export interface StageOptions extends Pick<RunOptions, 'programs' | 'databases' | 'inside'> {
  /** Settings of every process. */
  environment: Record<string, string>
  /** How long the networks take for every call, in milliseconds. */
  latency?: [from: number, to: number]
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { programs, databases, inside, environment, latency = [50, 200] } = options
  const folder = await temporaryFolder()
  const newDemo = { key: 'chaos-key-0001', keyring: newKeyring(), folder: folder.path }
  const { url: databaseUrl, demo = newDemo, drop } = await databases.fresh()
  const networks = await (inside ? startNetworksInside(latency) : startNetworks(programs.sandbox, latency))
  const shared = {
    CHORUS_PORT: '0',
    CHORUS_DEMO: '1',
    CHORUS_DATA_DIR: demo.folder,
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_SANDBOX_PORT: new URL(networks.url).port,
    CHORUS_SECRET_KEYS: demo.keyring,
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_LOG_LEVEL: process.env.CHAOS_LOG ?? 'silent',
    // Who wants networks to be asked says so.
    CHORUS_POLL_SECONDS: '0',
    ...environment,
  }
  const looks = openLooks(databaseUrl)
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
    recordDeed,
  }
  await prepareDemo(installation, demo.key, networks.url)
  const start = inside ? startInside : (given: Record<string, string>) => startChild(programs.service, given)
  const api = await start({ ...shared, CHORUS_ROLES: 'api' })
  // Media is fetched from the process that answers.
  const working = { ...shared, CHORUS_ROLES: 'worker', CHORUS_PUBLIC_URL: api.url }
  const control = async (path: string, body?: object) => {
    const answer = await fetch(`${networks.url}/__sandbox${path}`, {
      headers: { authorization: 'Bearer sandbox', 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
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
      return entries.filter(({ text }) => text.startsWith(opening))
    },
    query: looks.query,
    startWorker: (more = {}) => start({ ...working, ...more }),
    startWorkerProcess: () => startChild(programs.service, working),
    async stop() {
      await api.stop()
      await installation.files.prober.close()
      await installation.outbound.close()
      await installation.database.close()
      await looks.close()
      await networks.stop()
      await drop()
      await folder.remove()
    },
  }
}

/** Looks into a database as its owner, across all accounts, without connecting anew for each look. */
export function openLooks(databaseUrl: string): { query: Query; close(): Promise<void> } {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, application_name: 'chaos' })
  pool.on('error', () => {})
  return { query: async (text, values) => (await pool.query(text, values)).rows, close: () => pool.end() }
}
