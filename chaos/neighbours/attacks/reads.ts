import { connect } from 'node:net'
import type { Attacker } from '../attacker.ts'

const day = 86_400_000
const dayText = (time: number) => new Date(time).toISOString().slice(0, 10)

/** The most expensive reads, many at once. */
export function reads({ call, targets, repeat }: Attacker) {
  const now = Date.now()
  const days = { fromDate: dayText(now), toDate: dayText(now + 59 * day) }
  const filters = { statuses: ['pending'], networks: ['Twitter'], showArchived: '1' }
  const { campaignId } = targets
  const lists = [
    '/post?_count=100&withPostlogs=1&status=pending&source=API&_order=startDateTime,1',
    `/post?_count=100&withPostlogs=1&campaignId=${campaignId}&_page=9`,
    `/message?_count=100&withTags=1&campaignId=${campaignId}`,
    '/campaign?_count=200&withTags=1&q=e&_order=name,1',
    '/click?_count=200&_order=campaignName,1',
    `/click?_count=200&convertsOnly=0&campaignId=${campaignId}`,
    '/media?_count=100&q=a&_order=name,0',
    '/upload?_count=100&status=pending',
    '/tag?_count=100&q=9&_order=tag,0',
    '/link?_count=100',
    '/webhook?_count=100&name=u',
    '/user?_count=100&q=a',
  ]
  return repeat(64, (turn) => {
    if (turn % 3 === 0) return call('POST /calendar', { body: turn % 2 === 0 ? days : { ...days, filters } })
    const [path = '', query = ''] = (lists[turn % lists.length] ?? '').split('?')
    return call(`GET ${path}`, { query })
  })
}

const concurrency = 6
/** Clients that request the calendar and never read the response. */
const stuckReaders = 6

/** All expensive reads of an account with many posts: calendars, tables, reports, searches and exports, six at a time. */
export async function large(attacker: Attacker) {
  const { call, repeat } = attacker
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
  const requests = [
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
    repeat(concurrency, (turn) => (requests[turn % requests.length] as () => Promise<unknown>)()),
    repeat(stuckReaders, (turn) => requestWithoutReading(attacker, turn, days)),
  ])
}

async function newExport({ call }: Attacker): Promise<string> {
  const destination = { email: 'mallory@example.com', firstName: 'Mallory', lastName: 'Large' }
  const body = { type: 'Posts', destinationType: 'email', destination, timeRange: 'all-time', status: 'active' }
  const { text } = await call('POST /app/api/exports', { body })
  return /"Id":"([^"]+)"/.exec(text)?.[1] ?? 'none'
}

/** Sends a request and does not read the response until the connection closes. */
function requestWithoutReading({ targets, count }: Attacker, turn: number, days: object): Promise<void> {
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
      // Waits before reconnecting after an immediate disconnect.
      setTimeout(resolve, 1_000)
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}
