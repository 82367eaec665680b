import { join } from 'node:path'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { calendarBenchmark } from './calendar.ts'
import { callBenchmarks, key } from './calls.ts'
import { consoleBenchmark } from './console.ts'
import { herdBenchmark } from './herd.ts'
import { hourBenchmark } from './hour/hour.ts'
import { inboxBenchmark } from './inbox/search.ts'
import { listFloors } from './list-floors.ts'
import { listBenchmark } from './lists.ts'
import { networkDayBenchmark } from './network-day/benchmark.ts'
import { peerBenchmark } from './peers/peers.ts'
import { end, endAll, start } from './processes.ts'
import { redirectBenchmark } from './redirects.ts'
import { reportBenchmark } from './reports.ts'
import { startBenchmark } from './start.ts'
import { processesBenchmark } from './two-processes.ts'
import { webhookBenchmark } from './webhooks/webhooks.ts'

/** `npm run bench`: all benchmarks, or the named ones, e.g. `npm run bench -- webhooks`. */
const onDemo = [
  'calls',
  'calendar',
  'console',
  'lists',
  'reports',
  'inbox-search',
  'webhooks',
  'peers',
  'network-day',
  'redirects',
]
/** With processes of their own. */
const standalone = ['start', 'processes', 'herd', 'hour']
const benchmarks = [...onDemo, ...standalone]
const names = process.argv.slice(2)
const unknown = names.find((name) => !benchmarks.includes(name))
if (unknown) {
  console.log(`npm run bench [-- benchmark…]\n\nBenchmarks: ${benchmarks.join(', ')}`)
  process.exit(unknown === '--help' ? 0 : 1)
}
const isSelected = (name: string) => names.length === 0 || names.includes(name)

if (isSelected('start')) await startBenchmark()
const folder = await temporaryFolder()
const database = await startEmbeddedServer({ folder: join(folder.path, 'postgres') })
try {
  if (onDemo.some(isSelected)) {
    const { url: service, child } = await startOurs()
    if (isSelected('calls')) await callBenchmarks(service, database.url)
    if (isSelected('calendar')) await calendarBenchmark(service, database.url)
    if (isSelected('console')) await consoleBenchmark(service, database.url)
    if (isSelected('lists')) {
      await listFloors({ url: service, pid: child.pid }, database)
      await listBenchmark(service, database.url)
    }
    if (isSelected('reports')) await reportBenchmark(service, database.url)
    if (isSelected('inbox-search')) await inboxBenchmark(service, database.url)
    if (isSelected('webhooks')) await webhookBenchmark({ databaseUrl: database.url, folder: folder.path, service, key })
    // Its peers are large downloads, so it runs only when named.
    if (names.includes('peers')) await peerBenchmark({ service: { url: service, pid: child.pid }, database })
    // A simulated day takes minutes and does not measure speed, so it runs only when named.
    if (names.includes('network-day')) await networkDayBenchmark(database.url)
    await end(child)
    if (isSelected('redirects')) await redirectBenchmark(database.url, folder.path)
  }
  if (isSelected('processes')) await processesBenchmark(database, folder.path)
  if (isSelected('herd')) await herdBenchmark()
  // It takes an hour and does not measure speed, so it runs only when named.
  if (names.includes('hour')) await hourBenchmark(database.url, folder.path)
} finally {
  await endAll()
  await database.stop()
  await folder.remove()
}

/** The built service with all roles, logging to a file as in production; rate limits are counted but not reached. */
async function startOurs() {
  const environment = {
    CHORUS_PORT: '0',
    CHORUS_ROLES: 'api',
    CHORUS_DEMO: '1',
    CHORUS_DEMO_API_KEY: key,
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DATABASE_URL: database.url,
    CHORUS_SANDBOX_PORT: '0',
    CHORUS_RATE_LIMIT: 'second=1000000,five=5000000,day=1000000000',
    CHORUS_ACCOUNT_LIMITS: 'teams=1000000000',
  }
  const { found, child } = await start(['bin/chorus.mjs', 'start'], /Base URL +(http:\/\/\S+)\/v2/, {
    environment,
    log: join(folder.path, 'service.log'),
  })
  return { url: found, child }
}
