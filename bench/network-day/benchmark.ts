import { connectedNetworks, isConnected } from '#networks/manifests.ts'
import { type DayResult, simulateDay } from './day.ts'

const profiles = Number(process.env.BENCH_PROFILES ?? 20)
const named = (process.env.BENCH_NETWORKS ?? '').split(',').filter(isConnected)
const networks = named.length > 0 ? named : connectedNetworks
const hours = Number(process.env.BENCH_HOURS ?? 24)

/** A day with many profiles on each network: requests, quota units, cost, rejected requests and delays. */
export async function networkDayBenchmark(databaseUrl: string) {
  for (const busy of [false, true]) {
    const results = await simulateDay({ networks, profiles, hours, busy, databaseUrl })
    console.log(`\n${profiles} profiles on each network, ${hours} hours, ${busy ? 'busy' : 'idle'}`)
    console.log(
      'network    calls   refused  units                        cost $   posts replies failed  latest s  unread  slowest s',
    )
    for (const result of results) console.log(line(result))
  }
}

function line(result: DayResult): string {
  const units = Object.entries(result.units)
    .map(([bucket, used]) => `${bucket} ${used}`)
    .join(', ')
  return [
    result.network.padEnd(10),
    String(result.calls).padStart(6),
    String(result.refused).padStart(8),
    units.padEnd(28),
    result.dollars.toFixed(2).padStart(7),
    String(result.posts).padStart(6),
    String(result.replies).padStart(7),
    String(result.failed).padStart(6),
    result.latestSeconds.toFixed(0).padStart(9),
    String(result.missed).padStart(7),
    result.slowestSeconds.toFixed(0).padStart(10),
  ].join(' ')
}
