import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beginRebuild, rebuildSome } from '#areas/counters/rebuild.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { registry } from '#main/registry.ts'
import { type Program, runProgram } from '../tests/support/program.ts'
import { randomness } from '../tests/support/randomness.ts'
import { retryUntilAvailable } from './databases.ts'
import { startBundledProgram, startChild } from './processes.ts'
import { openRedirectInstallation, type RedirectInstallation } from './redirect-kills.ts'
import { openVisitors } from './visitors.ts'

const account = '001chaos0000001'
const timeoutMs = 120_000

export interface ReportKillOptions {
  kills: number
  seed: number
  /** Minimum number of confirmed clicks between kills. */
  clicksEach?: number
  /** Every nth kill happens during a rebuild; default 2. */
  rebuildEvery?: number
  visitors?: number
  pause?: number
  databaseUrl?: string
  /** A setup shared by consecutive small runs. */
  setup?: ClickSetup
  /** Service program from `buildPrograms`, for small runs; the whole program by default. */
  service?: string
  /** Starts the counting worker; overridden by the negative control. */
  startCounter?: (installation: RedirectInstallation) => Promise<Counter>
  log?: (line: string) => void
}

/** Links and their redirector. */
export interface ClickSetup {
  installation: RedirectInstallation
  url: string
  stop(): Promise<void>
}

export type Counter = Pick<Program, 'child'> & { ended: Promise<unknown> }

export interface ReportKillReport {
  kills: number
  /** Kills during a rebuild. */
  rebuildsKilled: number
  seed: number
  clicks: number
  /** Rollup rows, and how many differ from a recount of the clicks. */
  rows: number
  differences: number
  /** Number of rows that a complete rebuild changes afterwards. */
  changedByRebuild: number
  broken: string[]
}

/** Kills the worker that counts clicks and rebuilds rollups repeatedly while visitors click; then compares the rollups with a recount. */
export async function reportKills(options: ReportKillOptions): Promise<ReportKillReport> {
  const { kills, seed, clicksEach = 100, rebuildEvery = 2, visitors = 24, pause = 5, log = () => {} } = options
  const random = randomness(seed)
  const setup = options.setup ?? (await openClickSetup(options.databaseUrl, options.service))
  const { installation } = setup
  // A worker-only process lowers its priority, which would distort the measurement.
  const startCounter =
    options.startCounter ?? (() => startRole(installation, options.service, options.service ? 'worker' : 'api,worker'))
  let counter = await startCounter(installation)
  const visitorTraffic = openVisitors({
    random,
    visitors,
    pause: () => pause,
    links: () => installation.hashes.map((hash) => `${setup.url}/l/${hash}`),
  })
  let rebuildsKilled = 0
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = visitorTraffic.answered.size
      for (let elapsed = 0; visitorTraffic.answered.size < before + clicksEach && elapsed < timeoutMs; elapsed += 5)
        await sleep(5)
      // The worker runs a requested rebuild in addition to counting.
      if (kill % rebuildEvery === 0) {
        await requestRebuild(installation.databaseUrl)
        rebuildsKilled++
      }
      await sleep(random() * 300)
      counter.child.kill('SIGKILL')
      await counter.ended
      log(`kill ${kill} of ${kills}: ${visitorTraffic.answered.size} clicks`)
      counter = await retryUntilAvailable(() => startCounter(installation))
    }
    await visitorTraffic.end()
    await untilCounted(installation.databaseUrl)
    const { rows, differences } = await compare(installation.databaseUrl)
    await requestRebuild(installation.databaseUrl)
    const changedByRebuild = await rebuildChanges(installation.databaseUrl)
    const clicks = visitorTraffic.answered.size
    const broken = differences + changedByRebuild > 0 ? [`${differences} rows differ, ${changedByRebuild} changed`] : []
    return { kills, rebuildsKilled, seed, clicks, rows, differences, changedByRebuild, broken }
  } finally {
    await visitorTraffic.end()
    await end(counter)
    if (!options.setup) await setup.stop()
  }
}

export async function openClickSetup(databaseUrl?: string, service?: string): Promise<ClickSetup> {
  const installation = await openRedirectInstallation(databaseUrl)
  const redirector = await startRole(installation, service, 'links')
  const stop = async () => {
    await end(redirector)
    await installation.remove()
  }
  return { installation, url: redirector.url, stop }
}

async function end({ child, ended }: Counter) {
  child.kill('SIGKILL')
  await ended
}

async function startRole({ environment }: RedirectInstallation, service: string | undefined, roles: string) {
  const settings = { ...environment, CHORUS_ROLES: roles }
  if (service) return startChild(service, settings)
  const program = runProgram('chorus', ['start'], settings)
  return { ...program, url: await program.printed(/Base URL +(http:\S+)\/v2/) }
}

const requestRebuild = (url: string) =>
  ownerQuery(
    url,
    `with due as (update job_schedule set next = now() where name = 'counters.rebuild-counters' returning 1)
     insert into counter_rebuilds (account_id, begun) values ($1, now()) on conflict do nothing`,
    [account],
  )

async function untilCounted(url: string) {
  for (let elapsed = 0; elapsed < timeoutMs; elapsed += 100) {
    const [waiting] = await ownerQuery<{ count: number }>(url, 'select count(*)::int as count from click_batches')
    const rebuilds = await ownerQuery(url, 'select from counter_rebuilds')
    if (waiting?.count === 0 && (rebuilds.length === 0 || elapsed > timeoutMs / 4)) return
    await sleep(100)
  }
  throw new Error('Clicks wait to be counted for too long.')
}

/** Compares daily and quarter-hour rows with a recount. */
async function compare(url: string) {
  const database = openDatabase({ url, connections: 2 })
  try {
    const [from, to] = [new Date('2000-01-01'), new Date('2100-01-01')]
    const increments = sql.join(
      registry.recounts.map((recount) => recount.increments(account, from, to)),
      sql` union all `,
    )
    const { rows } = await sql<{ rows: number; differences: number }>`
      with increment as (select kind, id, name, at, amount from (${increments}) f where id <> '' and amount <> 0),
      real as (
        select 'day' as of, kind, id, name, (at at time zone 'UTC')::date::text as time, sum(amount) as value from increment group by 1, 2, 3, 4, 5
        union all select 'quarter', kind, id, name, date_bin('15 minutes', at, '2000-01-01 00:00+00')::text, sum(amount) from increment
          where kind not in ('message', 'post', 'profile-post', 'link', 'story', 'share') group by 1, 2, 3, 4, 5),
      stored as (
        select 'day' as of, of_kind, of_id, name, day::text as time, value from daily_rollups where account_id = ${account} and value <> 0
        union all select 'quarter', of_kind, of_id, name, quarter::text, value from quarter_hour_rollups where account_id = ${account} and value <> 0)
      select (select count(*) from stored)::int as rows,
        ((select count(*) from (table real except table stored) a) + (select count(*) from (table stored except table real) b))::int as differences`.execute(
      database.forAccount(account),
    )
    return rows[0] ?? { rows: 0, differences: 0 }
  } finally {
    await database.close()
  }
}

/** Number of rows changed by a rebuild. */
async function rebuildChanges(url: string): Promise<number> {
  const readRollups = () =>
    ownerQuery<{ digest: string; count: number }>(
      url,
      `select of_kind || of_id || name || time as digest, value::int as count from (
        select of_kind, of_id, name, day::text as time, value from daily_rollups
        union all select of_kind, of_id, name, quarter::text, value from quarter_hour_rollups
        union all select of_kind, of_id, name, 'all', value from counters) f where value <> 0`,
    )
  const before = new Map((await readRollups()).map(({ digest, count }) => [digest, count]))
  const database = openDatabase({ url, connections: 2 })
  try {
    await database.transaction(account, async (db) => {
      const context = { db, accountId: account, now: new Date() } as Parameters<typeof beginRebuild>[0]
      await beginRebuild(context)
      await rebuildSome(context, registry.recounts, 10_000)
    })
  } finally {
    await database.close()
  }
  const after = await readRollups()
  return (
    after.filter(({ digest, count }) => before.get(digest) !== count).length + Math.max(0, before.size - after.length)
  )
}

/** Starts the negative control instead of the worker. */
export async function startControlCounter({ environment }: RedirectInstallation): Promise<Counter> {
  const child = await startBundledProgram('chaos/report-control-process.ts', {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<unknown>((resolve) => child.once('close', resolve))
  await new Promise<Buffer>((resolve) => child.stdout?.once('data', resolve))
  return { child, ended }
}
