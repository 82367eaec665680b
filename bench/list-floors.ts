import type autocannon from 'autocannon'
import { ownerQuery } from '#kernel/database/owner.ts'
import { keyDigest } from '#kernel/identities.ts'
import { measureTurn, rounds, summaryOf, type Turn } from './calls.ts'
import { median, startScript } from './processes.ts'
import { processorTimeOf } from './processor-time.ts'

const rows = 1_000
const account = '001floor0000001'
const key = 'floor-key-0001'
const paths = ['/post', '/campaign', '/conversation', '/story', '/lead', '/click']

/** Throughput of lists of 25 of a thousand relative to their bare queries, measured alternately. */
export async function listFloors(
  service: { url: string; pid: number | undefined },
  database: { url: string; pid: number },
) {
  await fill(database.url)
  const { found: port, child } = await startScript('bench/list-baseline.ts', [database.url, account], /listening (\d+)/)
  const authorization = `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}`
  for (const path of paths) {
    const ours: autocannon.Options = { url: `${service.url}/v2${path}?_count=25`, headers: { authorization } }
    const baseline: autocannon.Options = { url: `http://127.0.0.1:${port}${path}` }
    await checkTotal(ours)
    await checkTotal(baseline)
    const turns: { ours: Turn; baseline: Turn }[] = []
    for (let round = 0; round <= rounds; round++) {
      const turn = {
        baseline: await measureTurn(baseline, {
          programTime: () => processorTimeOf(child.pid),
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
    const ratios = turns.map((turn) => turn.ours.perSecond / turn.baseline.perSecond)
    console.log(
      `GET ${path.padEnd(20)} ratio ${median(ratios).toFixed(2)}  (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})  ` +
        `chorus ${summaryOf(turns.map((turn) => turn.ours))}  baseline ${summaryOf(turns.map((turn) => turn.baseline))}`,
    )
  }
}

/** A page that lacks rows would measure something else. */
async function checkTotal({ url, headers }: autocannon.Options) {
  const response = await fetch(url, headers && { headers: headers as Record<string, string> })
  const answer = (await response.json()) as Page & { Conversations?: Page }
  const { Items = [], Total } = answer.Conversations ?? answer
  if (Items.length !== 25 || Number(Total) !== rows)
    throw new Error(`${url} answered ${response.status} with ${Items.length} of ${Total} rows.`)
}

interface Page {
  Items?: unknown[]
  Total?: unknown
}

const id = (prefix: string, number = 'n') => `'${prefix}floor' || lpad((${number})::text, 7, '0')`
const user = '00Afloor0000001'
const audit = `now() - n * interval '1 minute', now(), '${user}', '${user}'`
const auditColumns = 'created, modified, created_by, modified_by'
const series = `from generate_series(1, ${rows}) n`

/** An account with a thousand rows in each list and the counters that belong to them. */
const statements = [
  `insert into accounts (id, created, modified, name) values ('${account}', now(), now(), 'Floor')`,
  `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
   values ('${account}', '${user}', now(), now(), 'Floor', 'Admin', 'floor@example.com', 'admin')`,
  `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
   select '${account}', '003-9-' || n, now(), now(), '', 'LinkedIn', n, 'page', 'Page ' || n, 'page' || n, '', 'valid' from generate_series(1, 20) n`,
  `insert into campaigns (account_id, id, ${auditColumns}, name, color)
   select '${account}', ${id('002')}, ${audit}, 'Campaign ' || n, '#2456D6' ${series}`,
  `insert into messages (account_id, id, ${auditColumns}, campaign_id, network, type, message)
   select '${account}', ${id('005')}, ${audit}, ${id('002')}, 'LinkedIn', 'status-update', 'Text of the message ' || n || ', about as long as a short post.' ${series}`,
  `insert into posts (account_id, id, ${auditColumns}, status, approve_status, source, queued, campaign_id, message_id, network, start_date_time, credential_ids)
   select '${account}', ${id('004')}, ${audit}, 'complete', 'Approved', 'UI', false, ${id('002')}, ${id('005')}, 'LinkedIn', now(), array['003-9-' || n % 20 + 1] ${series}`,
  `insert into first_comments (account_id, id, post_id, text)
   select '${account}', ${id('0fc')}, ${id('004')}, 'First comment' ${series}`,
  `insert into post_counts (account_id, campaign_id, created_by, source, status, posts)
   select account_id, campaign_id, created_by, source, status, count(*) from posts where account_id = '${account}' group by 1, 2, 3, 4, 5
   on conflict (account_id, campaign_id, created_by, source, status) do update set posts = excluded.posts`,
  ...[
    ['post', '004'],
    ['campaign', '002'],
  ].map(
    ([kind, prefix = '']) =>
      `insert into counters (account_id, of_kind, of_id, name, value, last)
       select '${account}', '${kind}', ${id(prefix)}, name, 1, now() ${series}, unnest(array['clicks', 'converts', 'likes', 'comments']) name`,
  ),
  `insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, remote_key, event_date, last_activity, person_id, person_name, text)
   select '${account}', ${id('eit')}, now(), now(), '003-9-1', 'LinkedIn', 'Mention', 'external', n, now() - n * interval '1 minute', now() - n * interval '1 minute', n, 'Person ' || n, 'Text of the mention ' || n ${series}`,
  `insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
   select account_id, credential_id, network, item_type, status, assignee_id, count(*) from inbox_items where account_id = '${account}' group by 1, 2, 3, 4, 5, 6
   on conflict (account_id, credential_id, network, item_type, status, assignee_id) do update set items = excluded.items`,
  `insert into boards (account_id, id, created, modified, created_by, modified_by, name, slug)
   values ('${account}', 'brdfloor0000001', now(), now(), '', '', 'Board', 'floor')`,
  `insert into topics (account_id, id, board_id, created, modified, created_by, name)
   values ('${account}', '0tcfloor0000001', 'brdfloor0000001', now(), now(), '', 'Topic')`,
  `insert into stories (account_id, id, ${auditColumns}, board_id, campaign_id, publish_date, expiration_date, title, status, is_approved, phase)
   select '${account}', ${id('0AS')}, ${audit}, 'brdfloor0000001', ${id('002')}, now() - n * interval '1 minute', now() + interval '1 year', 'Story ' || n, 'active', true, 'published' ${series}`,
  `insert into story_counts (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved, stories)
   values ('${account}', 'brdfloor0000001', '${user}', 'published', false, false, true, ${rows})
   on conflict (account_id, board_id, created_by, phase, is_featured, is_repost, is_approved) do update set stories = excluded.stories`,
  `insert into story_messages (account_id, story_id, message_id, position)
   select '${account}', ${id('0AS')}, ${id('005', `(n + offset_by) % ${rows} + 1`)}, offset_by ${series}, generate_series(0, 1) offset_by`,
  `insert into story_topics (account_id, story_id, topic_id) select '${account}', ${id('0AS')}, '0tcfloor0000001' ${series}`,
  `insert into leads (account_id, id, created, modified, email, name, first_name, last_name)
   select '${account}', ${id('0ld')}, now() - n * interval '1 minute', now(), 'lead' || n || '@example.com', 'Lead ' || n, 'Lead', n ${series}`,
  `insert into lead_profiles (account_id, lead_id, network, remote_id, created, url)
   select '${account}', ${id('0ld')}, 'LinkedIn', n, now(), 'https://www.linkedin.com/in/lead' || n ${series}`,
  `insert into clicks (account_id, id, created, link_id, campaign_id, message_id, post_id, credential_id, network, class, visitor_id, user_agent, country, city)
   select '${account}', ${id('009')}, now() - n * interval '1 minute', ${id('0lk')}, ${id('002')}, ${id('005')}, ${id('004')}, '003-9-' || n % 20 + 1, 'LinkedIn', 'human', n, 'Mozilla/5.0', 'Ireland', 'Cork' ${series}`,
]

async function fill(url: string) {
  for (const statement of statements) await ownerQuery(url, statement)
  await ownerQuery(
    url,
    `insert into api_keys (account_id, id, user_id, created, name, digest) values ($1, 'keyfloor0000001', $2, now(), 'Floor', $3)`,
    [account, user, keyDigest(key)],
  )
  await ownerQuery(url, 'vacuum analyze')
}
