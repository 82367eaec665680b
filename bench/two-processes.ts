import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { callsOf, fillUsers, key, measureTurn, rounds, summaryOf, type Turn } from './calls.ts'
import { end, freePort, median, start } from './processes.ts'
import { processorTimeOfAll, processTree } from './processor-time.ts'

/** Processors, as `taskset` takes them. */
interface Layout {
  name: string
  service: string
  others: string
}

const processors = availableParallelism()
const all = `0-${processors - 1}`

const layouts: Layout[] = [
  { name: 'service on core 0, database and client on core 1', service: '0', others: '1' },
  { name: 'service on cores 0 and 1, database and client on core 1', service: '0,1', others: '1' },
  ...(processors > 2
    ? [
        {
          name: 'service on cores 0 and 1, database and client on the others',
          service: '0,1',
          others: `2-${processors - 1}`,
        },
      ]
    : []),
  { name: 'everything on all cores', service: all, others: all },
]

interface Database {
  url: string
  pid: number
}

/** Throughput of calls with two processes relative to one, on processors that are dealt out, measured alternately. */
export async function processesBenchmark(database: Database, folder: string) {
  const services = []
  for (const processes of [1, 2]) services.push(await startService(database.url, folder, processes))
  await fillUsers(database.url)
  const [one, two] = services as [Service, Service]
  for (const { name, service, others } of layouts) {
    console.log(name)
    // The services are descendants of this process, so they come last.
    for (const pid of [database.pid, process.pid]) pin(pid, others)
    for (const { child } of services) pin(child.pid ?? 0, service)
    for (const [index, call] of callsOf(one.url).entries()) {
      const sameCall = callsOf(two.url)[index] ?? call
      const measure = ({ child }: Service, { ours }: typeof call) =>
        measureTurn(ours, {
          programTime: () => processorTimeOfAll(child.pid ?? 0),
          serverPid: database.pid,
        })
      const turns: { one: Turn; two: Turn }[] = []
      for (let round = 0; round <= rounds; round++) {
        const turn = { one: await measure(one, call), two: await measure(two, sameCall) }
        // The first round is warm-up.
        if (round > 0) turns.push(turn)
      }
      const ratios = turns.map((turn) => turn.two.perSecond / turn.one.perSecond)
      console.log(
        `  ${call.name.padEnd(24)} two processes ${median(ratios).toFixed(2)} × one  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})  ` +
          `one ${summaryOf(turns.map((turn) => turn.one))}  two ${summaryOf(turns.map((turn) => turn.two))}`,
      )
    }
  }
  for (const pid of [database.pid, process.pid]) pin(pid, all)
  for (const { child } of services) await end(child)
}

type Service = Awaited<ReturnType<typeof startService>>

async function startService(databaseUrl: string, folder: string, processes: number) {
  const environment = {
    CHORUS_PROCESSES: String(processes),
    // The processes of a cluster share a port, so it can't be any free one.
    CHORUS_PORT: String(await freePort()),
    CHORUS_ROLES: 'api',
    CHORUS_DEMO: '1',
    CHORUS_DEMO_API_KEY: key,
    CHORUS_DATA_DIR: join(folder, 'processes'),
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_SANDBOX_PORT: '0',
    CHORUS_RATE_LIMIT: 'second=1000000,five=5000000,day=1000000000',
    CHORUS_ACCOUNT_LIMITS: 'teams=1000000000',
  }
  const { found, child } = await start(['bin/chorus.mjs', 'start'], /Base URL +(http:\/\/\S+)\/v2/, {
    environment,
    log: join(folder, `processes-${processes}.log`),
  })
  return { url: found, child }
}

/** A process with its threads and descendants; those that start later inherit it. */
function pin(pid: number, to: string) {
  for (const one of processTree(pid)) execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', to, String(one)])
}
