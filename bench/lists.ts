import autocannon from 'autocannon'
import { ownerQuery } from '#kernel/database/owner.ts'
import { key } from './calls.ts'
import { median } from './processes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const many = Number(process.env.BENCH_POSTS ?? 1_000_000)
const few = 1_000
const goal = 1.5

/** Two accounts with the same structure: one with a thousand posts, one with a million. */
interface Side {
  account: string
  authorization: string
  posts: number
}
const side = (account: string, ending: string, posts: number): Side => ({
  account,
  authorization: `Basic ${Buffer.from(`${account}:${key}${ending}`).toString('base64')}`,
  posts,
})

/** Lists of posts, each with a full page in both accounts. */
const lists: [name: string, query: (posts: number) => string][] = [
  ['newest', () => ''],
  ['tenth page', () => '_page=9'],
  ['by start', () => '_order=startDateTime,0'],
  ['by change, oldest first', () => '_order=modified,1'],
  ['of a campaign', () => 'campaignId=002lists0000001'],
  ['of a campaign, by start', () => 'campaignId=002lists0000001&_order=startDateTime,1'],
  ['of a message', () => 'messageId=005lists0000001'],
  ['drafts', () => 'status=draft'],
  ['scheduled, by start', () => 'status=pending&_order=startDateTime,1'],
  ['sent', () => 'status=complete'],
  ['of a user', () => 'createdBy=00Alists0000001'],
  ['of a source', () => 'source=UI'],
  // Both accounts have the same number of posts in this period.
  [
    'of some hours',
    (posts) =>
      `after=2030-01-02 00:00:00&before=2030-01-0${posts === few ? '4' : '2'} ${posts === few ? '00:00:00' : '00:02:52'}`,
  ],
]

/** Cost of a list in a large account relative to a small one, measured alternately. */
export async function listBenchmark(service: string, databaseUrl: string) {
  const small = side('001demo00000002', '-other', few)
  const large = side('001demo00000001', '', many)
  for (const one of [small, large]) await fill(databaseUrl, one)
  await ownerQuery(databaseUrl, 'vacuum analyze posts, post_counts')
  let worst = 0
  for (const [name, query] of lists) {
    const ratios: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const cost = async (one: Side) => 1 / (await rate(service, one, query(one.posts)))
      const ratio = (1 / (await cost(small))) * (await cost(large))
      // The first round is warm-up.
      if (round > 0) ratios.push(ratio)
    }
    worst = Math.max(worst, median(ratios))
    console.log(
      `GET /post ${name.padEnd(24)} ${median(ratios).toFixed(2)} × the cost at ${few} posts  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
    )
  }
  console.log(`Lists at ${many} posts: at worst ${worst.toFixed(2)} × the cost at ${few} (goal ${goal})`)
}

async function rate(service: string, { authorization }: Side, query: string): Promise<number> {
  const url = `${service}/v2/post?${query.replaceAll(' ', '%20')}`
  const result = await autocannon({ url, headers: { authorization }, connections: 4, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  return result['2xx'] / result.duration
}

/** In both accounts: a campaign per 250 or 5,000 posts, 25 posts per message, 5% drafts, 10% scheduled. */
async function fill(url: string, { account, posts }: Side) {
  const perCampaign = posts === few ? 250 : 5_000
  const campaigns = posts / perCampaign
  const id = (prefix: string, n: string) => `'${prefix}lists' || lpad((${n})::text, 7, '0')`
  const auditColumns = `now(), now(), '00Alists0000001', '00Alists0000001'`
  await ownerQuery(
    url,
    `insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
     select '${account}', ${id('002', 'n')}, ${auditColumns}, 'Campaign ' || n, 'active', '#2456D6' from generate_series(1, ${campaigns}) n`,
  )
  await ownerQuery(
    url,
    `insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message)
     select '${account}', ${id('005', 'n')}, ${auditColumns}, ${id('002', `n % ${campaigns} + 1`)}, 'LinkedIn', 'status-update', 'Text ' || n from generate_series(1, ${posts / 25}) n`,
  )
  const startTime = `'2030-01-01'::timestamptz + n * interval '${(few * 864) / posts} seconds'`
  await ownerQuery(
    url,
    `insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
     select '${account}', ${id('004', 'n')}, ${startTime}, ${startTime}, ${id('00A', 'n % 4 + 1')}, '', case when n % 100 < 5 then 'draft' when n % 100 < 15 then 'pending' else 'complete' end,
       'Approved', case when n % 10 = 0 then 'UI' else 'API' end, false, ${id('002', `n % ${campaigns} + 1`)}, ${id('005', `n % ${posts / 25} + 1`)}, 'LinkedIn', ${startTime}, array['003-1-2414183']
     from generate_series(1, ${posts}) n`,
  )
  await ownerQuery(
    url,
    `insert into post_counts (account_id, campaign_id, created_by, source, status, posts)
     select account_id, campaign_id, created_by, source, status, count(*) from posts where account_id = '${account}' group by 1, 2, 3, 4, 5
     on conflict (account_id, campaign_id, created_by, source, status) do update set posts = excluded.posts`,
  )
}
