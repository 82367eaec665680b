import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { type Program, runProgram } from '../tests/support/program.ts'
import { randomness } from '../tests/support/randomness.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import type { Nodes } from './database/victims.ts'
import { openServer, retryUntilAvailable } from './databases.ts'
import { startBundledProgram, startChild } from './processes.ts'
import { openVisitors, type VisitTally } from './visitors.ts'

export interface RedirectKillOptions {
  kills: number
  seed: number
  /** Number of redirectors; default 2. */
  processes?: number
  /** Minimum number of confirmed clicks between kills. */
  clicks?: number
  /** Concurrent visits. */
  visitors?: number
  /** Milliseconds between the visits of one visitor; default 0. */
  pause?: number
  /** A migrated, empty database; by default one on a new server. */
  databaseUrl?: string
  /** Service program from `buildPrograms`, for small runs; the whole program by default. */
  service?: string
  /** Runs a worker that counts clicks. */
  counting?: boolean
  /** Starts the redirector; overridden by the negative control. */
  startRedirector?: (installation: RedirectInstallation) => Promise<Redirector>
  /** On a cluster: its nodes, one of which is killed after each redirector. */
  nodes?: Nodes | undefined
  log?: (line: string) => void
}

export interface Redirector extends Pick<Program, 'child'> {
  ended: Promise<unknown>
  url: string
}

export interface RedirectKillReport extends VisitTally {
  kills: number
  nodeKills?: Readonly<Record<string, number>>
  seed: number
  seconds: number
}

/** Kills redirectors repeatedly while visitors click; then verifies every confirmed click. */
export async function redirectKills(options: RedirectKillOptions): Promise<RedirectKillReport> {
  const { kills, seed, processes = 2, clicks = 300, visitors = 48, pause = 0, nodes, log = () => {} } = options
  const started = performance.now()
  const random = randomness(seed)
  const installation = await openRedirectInstallation(options.databaseUrl)
  const start = options.startRedirector ?? (options.service ? startServiceProgram(options.service) : startProduct)
  const redirectors = await Promise.all(Array.from({ length: processes }, () => start(installation)))
  const worker = options.counting
    ? runProgram('chorus', ['start'], { ...installation.environment, CHORUS_ROLES: 'api,worker' })
    : undefined
  const links = () => redirectors.flatMap(({ url }) => installation.hashes.map((hash) => `${url}/${hash}`))
  const visitorTraffic = openVisitors({ links, random, visitors, pause: () => pause })
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = visitorTraffic.answered.size
      for (let elapsed = 0; visitorTraffic.answered.size < before + clicks && elapsed < 120_000; elapsed += 5)
        await sleep(5)
      await sleep(random() * 50)
      const index = kill % processes
      const victim = redirectors[index] as Redirector
      victim.child.kill('SIGKILL')
      await victim.ended
      log(`kill ${kill} of ${kills}: ${visitorTraffic.answered.size} of ${visitorTraffic.visits()} visits answered`)
      redirectors[index] = await retryUntilAvailable(() => start(installation))
      if (!nodes) continue
      await nodes.killNext()
      // During a database outage visitors are redirected first; their clicks are only in memory.
      visitorTraffic.setPaused(true)
      for (const { url } of redirectors) await allWritten(url)
      visitorTraffic.setPaused(false)
    }
    await visitorTraffic.end()
    await nodes?.settled()
    return {
      kills,
      ...(nodes && { nodeKills: nodes.kills }),
      seed,
      ...(await visitorTraffic.tally(installation.databaseUrl)),
      seconds: Math.round((performance.now() - started) / 1000),
    }
  } finally {
    await visitorTraffic.end()
    for (const { child, ended } of [...redirectors, ...(worker ? [worker] : [])]) {
      child.kill('SIGKILL')
      await ended
    }
    await installation.remove()
  }
}

/** Waits until a redirector has written all its clicks. */
async function allWritten(url: string) {
  const waitingClicks = async () => {
    const text = await (await fetch(`${url.replace(/\/l$/, '')}/metrics`)).text()
    return Number(/^clicks_waiting (\d+)$/m.exec(text)?.[1])
  }
  while ((await waitingClicks()) !== 0) await sleep(250)
}

async function startProduct({ environment }: RedirectInstallation): Promise<Redirector> {
  const program = runProgram('chorus', ['start'], { ...environment, CHORUS_ROLES: 'links' })
  return { ...program, url: `${await program.printed(/Base URL +(http:\S+)\/v2/)}/l` }
}

const startServiceProgram =
  (service: string) =>
  async ({ environment }: RedirectInstallation): Promise<Redirector> => {
    const { child, ended, url } = await startChild(service, { ...environment, CHORUS_ROLES: 'links' })
    return { child, ended, url: `${url}/l` }
  }

/** Starts the negative control instead of the redirector. */
export async function startControlRedirector({ environment }: RedirectInstallation): Promise<Redirector> {
  const child = await startBundledProgram('chaos/redirect-control-process.ts', {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<unknown>((resolve) => child.once('close', resolve))
  const output = await new Promise<Buffer>((resolve) => child.stdout?.once('data', resolve))
  const port = /listening (\d+)/.exec(String(output))?.[1]
  return { child, ended, url: `http://127.0.0.1:${port}/l` }
}

const account = '001chaos0000001'
const links = 50

/** A database with an account and links, and the settings to serve them. */
export interface RedirectInstallation {
  databaseUrl: string
  hashes: string[]
  environment: Record<string, string>
  remove(): Promise<void>
}

/** Creates a database unless a migrated, empty one is given. */
export async function openRedirectInstallation(given?: string): Promise<RedirectInstallation> {
  const folder = await temporaryFolder()
  const server = given ? undefined : await openServer()
  const database = (await server?.database()) ?? { url: given ?? '', drop: async () => {} }
  const query = (text: string) => ownerQuery(database.url, text)
  await query(`insert into accounts (id, created, modified, name) values ('${account}', now(), now(), 'Chaos')`)
  await query(
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
     values ('${account}', '002chaos0000001', now(), now(), '', '', 'Chaos', 'active', '#2456D6')`,
  )
  await query(
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url)
     select '${account}', '008c' || lpad(n::text, 11, '0'), now(), now(), 'C' || lpad(n::text, 7, '0'), '002chaos0000001', '', '', 'X',
            'https://example.com/' || n, 'https://example.com/' || n from generate_series(1, ${links}) n`,
  )
  await query(
    'insert into link_hashes (hash, account, link, long_url) select hash, account_id, id, long_url from links',
  )
  return {
    databaseUrl: database.url,
    hashes: Array.from({ length: links }, (_, number) => `C${String(number + 1).padStart(7, '0')}`),
    environment: {
      CHORUS_PORT: '0',
      CHORUS_DATA_DIR: folder.path,
      CHORUS_DATABASE_URL: database.url,
      CHORUS_RATE_LIMIT: 'off',
      CHORUS_LOG_LEVEL: 'warn',
    },
    async remove() {
      await database.drop()
      await server?.stop()
      await folder.remove()
    },
  }
}
