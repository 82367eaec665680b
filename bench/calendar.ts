import { request } from 'node:http'
import { ownerQuery } from '#kernel/database/owner.ts'
import { key } from './calls.ts'
import { median, startScript } from './processes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3) * 10
const authorization = `Basic ${Buffer.from(`001demo00000001:${key}`).toString('base64')}`
const goal = 2
const posts = 5000
const [fromDate, toDate, until] = ['2031-03-01', '2031-04-30', '2031-05-01']

/** Duration of a 60-day calendar with 5,000 posts, relative to the same statements and JSON.stringify; measured alternately. */
export async function calendarBenchmark(service: string, databaseUrl: string) {
  await fill(databaseUrl)
  const { found: port } = await startScript(
    'bench/calendar-baseline.ts',
    [databaseUrl, fromDate, until],
    /listening (\d+)/,
  )
  const headers = { authorization, 'content-type': 'application/json' }
  const ours = () => timed(`${service}/v2/calendar`, headers, JSON.stringify({ fromDate, toDate }))
  const baseline = () => timed(`http://127.0.0.1:${port}/`, {}, '')
  const results: { ours: Timing; baseline: Timing }[] = []
  for (let round = -10; round < rounds; round++) {
    const result = { baseline: await baseline(), ours: await ours() }
    // The first rounds are warm-up.
    if (round >= 0) results.push(result)
  }
  const [mine, least] = [median(results.map((one) => one.ours.time)), median(results.map((one) => one.baseline.time))]
  const sizes = [results[0]?.ours.bytes ?? 0, results[0]?.baseline.bytes ?? 0].map((bytes) => (bytes / 1e6).toFixed(1))
  console.log(
    `POST /calendar, ${posts} posts: ${(mine / least).toFixed(2)} × the baseline's time (goal ${goal.toFixed(1)})  ` +
      `chorus ${mine.toFixed(0)} ms, ${sizes[0]} MB  baseline ${least.toFixed(0)} ms, ${sizes[1]} MB`,
  )
}

interface Timing {
  time: number
  bytes: number
}

/** From the request to the last byte of the response. */
function timed(url: string, headers: Record<string, string>, body: string): Promise<Timing> {
  const begin = performance.now()
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', headers }, (response) => {
      let bytes = 0
      response.on('data', (data: Buffer) => {
        bytes += data.length
      })
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
        resolve({ time: performance.now() - begin, bytes })
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}

const networks = `(array['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok'])[n % 6 + 1]`
const text = `repeat('Nine nights, two storms, one tent. ', 3 + n % 5) || 'Read on at https://example.com/field-tests/' || n || ' 🏕️ #outdoor'`

let isFilled = false

/** 200 campaigns of 25 messages, each posted once to two of twenty profiles, every tenth with an image. */
export async function fill(url: string) {
  if (isFilled) return
  isFilled = true
  const account = `'001demo00000001'`
  const rows = (count: number) => `from generate_series(1, ${count}) n`
  const id = (prefix: string, n = 'n') => `'${prefix}cal' || lpad((${n})::text, 9, '0')`
  const made = `now(), now(), '00Ademo00000001', '00Ademo00000001'`
  await ownerQuery(
    url,
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
     select ${account}, ${id('002')}, ${made}, 'Campaign ' || n, 'active', '#2456D6' ${rows(200)}`,
  )
  await ownerQuery(
    url,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
     select ${account}, '003-1-8800' || n, now(), now(), '', 'LinkedIn', '8800' || n, 'page', 'Profile ' || n, 'profile' || n, 'https://example.com/picture.png', 'valid' ${rows(20)}`,
  )
  await ownerQuery(
    url,
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message)
     select ${account}, ${id('005')}, ${made}, ${id('002', 'n % 200 + 1')}, ${networks}, 'status-update', ${text} ${rows(posts)}`,
  )
  await ownerQuery(
    url,
    `insert into message_media (account_id, message_id, position, media_id)
     select ${account}, ${id('005')}, 0, '026demo0000000' || (n % 5 + 1) ${rows(posts)} where n % 10 = 0`,
  )
  await ownerQuery(
    url,
    `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
     select ${account}, ${id('004')}, ${made}, case n % 2 when 0 then 'complete' else 'pending' end, 'Approved', 'API', false, ${id('002', 'n % 200 + 1')}, ${id('005')},
       ${networks}, '${fromDate}'::timestamptz + n * interval '17 minutes', array['003-1-8800' || (n % 20 + 1), '003-1-8800' || ((n + 1) % 20 + 1)] ${rows(posts)}`,
  )
  await ownerQuery(
    url,
    `insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url, published_date)
     select ${account}, ${id('007')}, now(), now(), ${id('004', 'n / 2 * 2')}, ${id('002', 'n / 2 * 2 % 200 + 1')}, ${id('005', 'n / 2 * 2')}, '003-1-8800' || (n % 20 + 1), 'LinkedIn', 'success',
       n::text, 'https://www.linkedin.com/feed/update/urn:li:share:' || n, now() from generate_series(2, ${posts}) n`,
  )
  await ownerQuery(url, 'vacuum analyze')
}
