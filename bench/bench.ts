import { join } from 'node:path'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { calendarContest } from './calendar.ts'
import { callContests, key } from './calls.ts'
import { end, endAll, start } from './children.ts'
import { consoleContest } from './console.ts'
import { herdContest } from './herd.ts'
import { inboxContest } from './inbox/search.ts'
import { listContest } from './lists.ts'
import { networkDayContest } from './network-day/contest.ts'
import { redirectContest } from './redirects.ts'
import { reportContest } from './reports.ts'
import { webhookContest } from './webhooks/webhooks.ts'

/** `npm run bench`: everything, or only what is named, e.g. `npm run bench -- webhooks`. */
const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

const folder = await temporaryFolder()
const database = await startEmbeddedServer({ folder: join(folder.path, 'postgres') })
try {
  const { url: service, child } = await startOurs()
  if (isWanted('calls')) await callContests(service, database.url)
  if (isWanted('calendar')) await calendarContest(service, database.url)
  if (isWanted('console')) await consoleContest(service, database.url)
  if (isWanted('lists')) await listContest(service, database.url)
  if (isWanted('reports')) await reportContest(service, database.url)
  if (isWanted('inbox-search')) await inboxContest(service, database.url)
  if (isWanted('webhooks')) await webhookContest({ databaseUrl: database.url, folder: folder.path, service, key })
  // A simulated day takes minutes and is not about speed: only when it is named.
  if (wanted.includes('network-day')) await networkDayContest(database.url)
  await end(child)
  if (isWanted('redirects')) await redirectContest(database.url, folder.path)
  // Last, with processes of its own: the machine has two cores.
  if (isWanted('herd')) await herdContest()
} finally {
  await endAll()
  await database.stop()
  await folder.remove()
}

/** The built service with everything on, its log going to a file as in production; limits counted, but out of reach. */
async function startOurs() {
  const environment = {
    CHORUS_PORT: '0',
    CHORUS_ROLES: 'api',
    CHORUS_DEMO: '1',
    CHORUS_DEMO_API_KEY: key,
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DATABASE_URL: database.url,
    CHORUS_RATE_LIMIT: 'second=1000000,five=5000000,day=1000000000',
    CHORUS_ACCOUNT_LIMITS: 'teams=1000000000',
  }
  const { found, child } = await start(['bin/chorus.mjs', 'start'], /Base URL +(http:\/\/\S+)\/v2/, {
    environment,
    log: join(folder.path, 'service.log'),
  })
  return { url: found, child }
}
