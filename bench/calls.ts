import autocannon from 'autocannon'
import { ownerQuery } from '#kernel/database/owner.ts'
import { median, startScript } from './processes.ts'
import { processorTimeOfAll } from './processor-time.ts'

export const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const connections = 16
export const key = 'bench-key-0000'
export const authorization = `Basic ${Buffer.from(`001demo00000001:${key}`).toString('base64')}`

interface Benchmark {
  name: string
  ours: autocannon.Options
  baseline: autocannon.Options
}

/** Throughput of four typical requests relative to the baseline, measured alternately. */
export async function callBenchmarks(service: string, databaseUrl: string) {
  await fillUsers(databaseUrl)
  const { found: port } = await startScript('bench/baseline.ts', [databaseUrl], /listening (\d+)/)
  const baseline = `http://127.0.0.1:${port}`
  for (const { name, ours, path } of callsOf(service)) {
    const url = `${baseline}${path}`
    await measure({ name, ours, baseline: ours.method === 'POST' ? { ...ours, url } : { url } })
  }
}

/** Typical calls, each with its path at the baseline. */
export function callsOf(service: string): { name: string; ours: autocannon.Options; path: string }[] {
  const headers = { authorization }
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  return [
    { name: 'GET /me', ours: { url: `${service}/v2/me`, headers }, path: '/me' },
    { name: 'GET /team/{id}', ours: { url: `${service}/v2/team/025demo00000001`, headers }, path: '/get' },
    { name: 'GET /user, 25 of 1,000', ours: { url: `${service}/v2/user`, headers }, path: '/list' },
    {
      name: 'POST /team',
      ours: { url: `${service}/v2/team`, method: 'POST', headers: form, body: 'name=Bench' },
      path: '/create',
    },
  ]
}

async function measure({ name, ours, baseline }: Benchmark) {
  const results: { ours: number; baseline: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const result = { baseline: (await load(baseline)).perSecond, ours: (await load(ours)).perSecond }
    // The first round is warm-up.
    if (round > 0) results.push(result)
  }
  const ratios = results.map((result) => result.ours / result.baseline).sort((one, other) => one - other)
  const figures = [median(results.map((result) => result.ours)), median(results.map((result) => result.baseline))]
  console.log(
    `${name.padEnd(24)} ratio ${median(ratios).toFixed(2)}  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})  ` +
      `chorus ${figures[0]?.toFixed(0)}/s  baseline ${figures[1]?.toFixed(0)}/s`,
  )
}

/** One turn of the load; processor times are in seconds per call. */
export interface Turn {
  perSecond: number
  program: number
  database: number
}

interface Measured {
  /** Processor time of the program under test so far, in seconds. */
  programTime: () => number
  /** First process of the PostgreSQL server. */
  serverPid: number
}

export async function measureTurn(options: autocannon.Options, { programTime, serverPid }: Measured): Promise<Turn> {
  const [program, database] = [programTime(), processorTimeOfAll(serverPid)]
  const { calls, perSecond } = await load(options)
  return {
    perSecond,
    program: (programTime() - program) / calls,
    database: (processorTimeOfAll(serverPid) - database) / calls,
  }
}

/** Medians of the turns. */
export function summaryOf(turns: readonly Turn[]): string {
  const micros = (values: number[]) => (median(values) * 1e6).toFixed(0)
  return (
    `${median(turns.map(({ perSecond }) => perSecond)).toFixed(0)}/s, processor time per call ${micros(turns.map(({ program }) => program))} µs ` +
    `and ${micros(turns.map(({ database }) => database))} µs of the database`
  )
}

/** Calls at full speed for some seconds; a refused or failed one ends the benchmark. */
async function load(options: autocannon.Options): Promise<{ calls: number; perSecond: number }> {
  const result = await autocannon({ ...options, connections, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.url}: ${result.non2xx} refused, ${result.errors} failed`)
  const calls = result['2xx']
  return { calls, perSecond: calls / result.duration }
}

/** A thousand users with those of the demo; only once, for the benchmarks that list them. */
export async function fillUsers(url: string) {
  await ownerQuery(
    url,
    `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
     select '001demo00000001', '00Abench' || lpad(n::text, 7, '0'), now() - n * interval '1 minute', now(), 'Bench', n::text, 'bench' || n || '@example.com', 'read'
     from generate_series(1, 996) n on conflict do nothing`,
  )
  await ownerQuery(url, 'vacuum analyze')
}
