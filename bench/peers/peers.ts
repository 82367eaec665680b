import type autocannon from 'autocannon'
import { authorization, fillUsers, measureTurn, rounds, summaryOf, type Turn } from '../calls.ts'
import { median } from '../processes.ts'
import { processorTimeOf } from '../processor-time.ts'
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
        theirs: await measureTurn(theirs, {
          programTime: () => processorTimeOf(directus.pid),
          serverPid: database.pid,
        }),
        ours: await measureTurn(ours, {
          programTime: () => processorTimeOf(service.pid),
          serverPid: database.pid,
        }),
      }
      // The first round is warm-up.
      if (round > 0) turns.push(turn)
    }
    const ratios = turns.map((turn) => turn.ours.perSecond / turn.theirs.perSecond)
    console.log(
      `${name.padEnd(24)} ${median(ratios).toFixed(2)} × ${directus.name} (goal ${goal.toFixed(1)})  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
    )
    console.log(`  chorus         ${summaryOf(turns.map((turn) => turn.ours))}`)
    console.log(`  ${directus.name.padEnd(14)} ${summaryOf(turns.map((turn) => turn.theirs))}`)
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
