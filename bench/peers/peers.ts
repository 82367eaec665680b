import autocannon from 'autocannon'
import { authorization, connections, fillUsers, rounds, seconds } from '../calls.ts'
import { median } from '../processes.ts'
import { processorTimeOf, processorTimeOfAll } from '../processor-time.ts'
import { type Directus, startDirectus } from './directus.ts'

const goal = 3

interface PeerOptions {
  service: { url: string; pid: number | undefined }
  database: { url: string; pid: number }
}

/** The throughput of typical calls relative to what a team would use instead, measured alternately. */
export async function peerBenchmark({ service, database }: PeerOptions) {
  await fillUsers(database.url)
  const directus = await startDirectus(database.url, 1_000)
  for (const { name, ours, theirs } of benchmarks(service.url, directus)) {
    const turns: { ours: Turn; theirs: Turn }[] = []
    for (let round = 0; round <= rounds; round++) {
      const turn = {
        theirs: await measure(theirs, directus.pid, database.pid),
        ours: await measure(ours, service.pid, database.pid),
      }
      // The first round is warm-up.
      if (round > 0) turns.push(turn)
    }
    const ratios = turns.map((turn) => turn.ours.perSecond / turn.theirs.perSecond)
    console.log(
      `${name.padEnd(24)} ${median(ratios).toFixed(2)} × ${directus.name} (goal ${goal.toFixed(1)})  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
    )
    console.log(`  chorus         ${summary(turns.map((turn) => turn.ours))}`)
    console.log(`  ${directus.name.padEnd(14)} ${summary(turns.map((turn) => turn.theirs))}`)
  }
}

interface Benchmark {
  name: string
  ours: autocannon.Options
  theirs: autocannon.Options
}

function benchmarks(service: string, directus: Directus): Benchmark[] {
  const own = { authorization }
  const json = { 'content-type': 'application/json' }
  const { headers, url, teamId } = directus
  const body = JSON.stringify({ name: 'Bench' })
  return [
    {
      name: 'one item',
      ours: { url: `${service}/v2/team/025demo00000001`, headers: own },
      theirs: { url: `${url}/items/teams/${teamId}`, headers },
    },
    {
      name: 'list, 25 of 1,000',
      ours: { url: `${service}/v2/user`, headers: own },
      theirs: { url: `${url}/items/users?limit=25&sort=-created&meta=total_count`, headers },
    },
    {
      name: 'create',
      ours: { url: `${service}/v2/team`, method: 'POST', headers: { ...own, ...json }, body },
      theirs: { url: `${url}/items/teams`, method: 'POST', headers: { ...headers, ...json }, body },
    },
  ]
}

/** Processor times in seconds per call. */
interface Turn {
  perSecond: number
  program: number
  database: number
}

async function measure(options: autocannon.Options, program: number | undefined, database: number): Promise<Turn> {
  const before = [processorTimeOf(program), processorTimeOfAll(database)] as const
  const result = await autocannon({ ...options, connections, duration: seconds })
  const after = [processorTimeOf(program), processorTimeOfAll(database)] as const
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.url}: ${result.non2xx} refused, ${result.errors} failed`)
  const calls = result['2xx']
  return {
    perSecond: calls / result.duration,
    program: (after[0] - before[0]) / calls,
    database: (after[1] - before[1]) / calls,
  }
}

function summary(turns: readonly Turn[]): string {
  const rates = turns.map(({ perSecond }) => perSecond)
  const micros = (values: number[]) => `${(median(values) * 1e6).toFixed(0)} µs`
  return (
    `${median(rates).toFixed(0)}/s (${rates.map((rate) => rate.toFixed(0)).join(' ')})  ` +
    `processor time per call ${micros(turns.map(({ program }) => program))}, of the database ${micros(turns.map(({ database }) => database))}`
  )
}
