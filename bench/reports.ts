import { correctCounters } from '#areas/counters/rebuild.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { registry } from '#main/registry.ts'
import { key } from './calls.ts'
import { median } from './processes.ts'

const clicks = Number(process.env.BENCH_CLICKS ?? 10_000_000)
const days = 730
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const account = '001demo00000001'
const goals = { milliseconds: 200, times: 50 }

/** The time zone of the demo admin, whose key is used. */
const zone = 'Europe/London'

const reportCases: [name: string, report: object, raw: string][] = [
  ['clicks by month', { unit: 'month' }, `date_trunc('month', created at time zone '${zone}')`],
  [
    'clicks by month and network',
    { unit: 'month', dimension: 'network' },
    `date_trunc('month', created at time zone '${zone}'), network`,
  ],
  ['clicks by campaign, ten and the rest', { dimension: 'campaign' }, 'campaign_id'],
  ['clicks by day', { unit: 'day' }, `date_trunc('day', created at time zone '${zone}')`],
  ['clicks by country', { dimension: 'country' }, 'country'],
]

/** Reports over two years from rollups relative to raw queries on the clicks, measured alternately. */
export async function reportBenchmark(service: string, databaseUrl: string) {
  await fill(databaseUrl)
  const today = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const first = new Date(Date.now() - (days + 1) * 86_400_000).toISOString().slice(0, 10)
  for (const [name, report, grouping] of reportCases) {
    const [rollupTimes, rawTimes]: [number[], number[]] = [[], []]
    for (let round = 0; round <= rounds; round++) {
      const fast = await timed(() =>
        requestReport(service, { source: 'click', measures: ['clicks'], from: first, to: today, ...report }),
      )
      // The first round is warm-up; two rounds of the raw query are enough.
      if (round > 0) rollupTimes.push(fast)
      if (round > 2) continue
      const slow = await timed(() =>
        ownerQuery(
          databaseUrl,
          `select ${grouping}, count(*) from clicks where account_id = $1 and class = 'human'
          and created >= $2::date and created < $3::date group by ${grouping
            .split(', ')
            .map((_, index) => index + 1)
            .slice(0, grouping.includes('network') ? 2 : 1)
            .join(', ')}`,
          [account, first, today],
        ),
      )
      if (round > 0) rawTimes.push(slow)
    }
    console.log(
      `reports, ${name}: ${median(rollupTimes).toFixed(0)} ms from rollups, ${median(rawTimes).toFixed(0)} ms from ${clicks.toLocaleString('en')} clicks: ` +
        `${(median(rawTimes) / median(rollupTimes)).toFixed(0)} ×  goal ≤ ${goals.milliseconds} ms and ≥ ${goals.times} ×`,
    )
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function requestReport(service: string, report: object) {
  const authorization = `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}`
  const response = await fetch(`${service}/app/api/report`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(report),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return response.json()
}

/** 200 consecutive campaigns, ten profiles, thirty countries; rollups are created by a rebuild. */
async function fill(url: string) {
  const address = new URL(url)
  address.searchParams.set('options', '-c session_replication_role=replica')
  const started = performance.now()
  const indexes = await ownerQuery<{ name: string; made: string }>(
    url,
    `select indexname as name, indexdef as made from pg_indexes where tablename = 'clicks' and indexname <> 'clicks_pkey'`,
  )
  for (const { name } of indexes) await ownerQuery(url, `drop index ${name}`)
  await ownerQuery(
    address.href,
    `insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id, country)
     select '${account}', '009r' || lpad(n::text, 11, '0'), now() - (n::float8 / ${clicks} * ${days}) * interval '1 day', '008r' || lpad((n / 5000)::text, 11, '0'),
       '002r' || lpad((n / (${clicks} / 200) + n % 4)::text, 11, '0'), '005r' || lpad((n / 5000)::text, 11, '0'), '', '003-9-' || n % 10,
       (array['LinkedIn', 'Twitter', 'Facebook', 'Instagram', 'YouTube'])[1 + n % 5], 'human', 'v' || n % 100000, 'Country ' || (n::bigint * 7919 % 30)
     from generate_series(1, ${clicks}) n`,
  )
  for (const { made } of indexes) await ownerQuery(url, made)
  await ownerQuery(url, 'vacuum analyze clicks')
  const filled = performance.now()
  const database = openDatabase({ url, connections: 4 })
  try {
    // The batch size of a rebuild in the service.
    const slice = 1
    for (let from = -1; from < days + 1; from += slice) {
      const dayStart = (day: number) => new Date(Math.floor(Date.now() / 86_400_000 - day) * 86_400_000)
      await database.transaction(account, (db) =>
        correctCounters({ db, accountId: account }, registry.recounts, {
          from: dayStart(from + slice),
          to: dayStart(from),
        }),
      )
    }
  } finally {
    await database.close()
  }
  await ownerQuery(url, 'vacuum analyze daily_rollups, quarter_hour_rollups, counters')
  console.log(
    `reports: ${clicks.toLocaleString('en')} clicks written in ${((filled - started) / 1000).toFixed(0)} s, ` +
      `counters rebuilt in ${((performance.now() - filled) / 1000).toFixed(0)} s`,
  )
}
