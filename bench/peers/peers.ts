import type autocannon from 'autocannon'
import { authorization, fillUsers, measureTurn, rounds, type Turn } from '../calls.ts'
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
    const turns: { ours: PeerTurn; theirs: PeerTurn }[] = []
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

/** With the processor time of the database. */
interface PeerTurn extends Turn {
  database: number
}

async function measure(options: autocannon.Options, program: number | undefined, server: number): Promise<PeerTurn> {
  const before = processorTimeOfAll(server)
  const turn = await measureTurn(options, () => processorTimeOf(program))
  return { ...turn, database: (processorTimeOfAll(server) - before) / turn.calls }
}

function summary(turns: readonly PeerTurn[]): string {
  const rates = turns.map(({ perSecond }) => perSecond)
  const micros = (values: number[]) => `${(median(values) * 1e6).toFixed(0)} µs`
  return (
    `${median(rates).toFixed(0)}/s (${rates.map((rate) => rate.toFixed(0)).join(' ')})  ` +
    `processor time per call ${micros(turns.map(({ processor }) => processor))}, of the database ${micros(turns.map(({ database }) => database))}`
  )
}
