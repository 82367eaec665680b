import autocannon from 'autocannon'
import { termsOf } from '#areas/inbox/item/search-terms.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { key } from '../calls.ts'
import { median } from '../processes.ts'
import { type GeneratedMessage, messageAt, wordOf } from './corpus.ts'

const many = Number(process.env.BENCH_ITEMS ?? 500_000)
const few = 1_000
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const listGoal = 1.5
const searchGoal = 50

interface Side {
  account: string
  authorization: string
  items: number
}
const side = (account: string, ending: string, items: number): Side => ({
  account,
  authorization: `Basic ${Buffer.from(`${account}:${key}${ending}`).toString('base64')}`,
  items,
})
const small = side('001demo00000002', '-other', few)
const large = side('001demo00000001', '', many)

const user = '00Ademo00000002'
const lists: [name: string, path: string][] = [
  ['all', '/v2/conversation?'],
  ['open', '/v2/conversation?status=open'],
  ['closed', '/v2/conversation?status=closed'],
  ['mentions', '/v2/conversation?type=Mention'],
  ['of a network', '/v2/conversation?network=TikTok'],
  ['of a person', `/v2/conversation?assignee_id=${user}`],
  ['messages on two networks', '/v2/conversation?type=Conversation&network=Facebook,Twitter'],
  ['view: unassigned', '/app/api/conversation?view=unassigned'],
  ['view: all open', '/app/api/conversation?view=open'],
  ['view: closed', '/app/api/conversation?view=closed'],
  ['unread', '/app/api/conversation?unread=1'],
]

/** Inbox lists in a large account relative to a small one, and searches in the large one, with and without other filters. */
export async function inboxBenchmark(service: string, databaseUrl: string) {
  for (const one of [small, large]) await fill(databaseUrl, one)
  await ownerQuery(databaseUrl, 'vacuum analyze inbox_items, inbox_item_counts, inbox_item_tags')
  const worst: number[] = []
  for (const [name, path] of lists) worst.push(await listCost(service, name, path))
  console.log(
    `Inbox at ${many} items: lists at worst ${Math.max(...worst).toFixed(2)} × their cost at ${few} (goal ${listGoal})`,
  )
  for (const filter of ['', '&status=open', '&status=closed&network=Facebook', '&type=Post&tag=Many'])
    await searches(service, filter)
}

async function listCost(service: string, name: string, path: string): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const ratio = (await rate(service + path, small)) / (await rate(service + path, large))
    if (round > 0) ratios.push(ratio)
  }
  console.log(`inbox, ${name.padEnd(26)} ${median(ratios).toFixed(2)} × the cost at ${few} items`)
  return median(ratios)
}

async function rate(url: string, { authorization }: Side): Promise<number> {
  const result = await autocannon({ url, headers: { authorization }, connections: 2, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  return result['2xx'] / result.duration
}

/** Rare and common single words, two words, and prefixes; each once. */
async function searches(service: string, filter: string) {
  const times: number[] = []
  const found: number[] = []
  for (const query of searchQueries()) {
    const url = `${service}/v2/conversation?q=${encodeURIComponent(query)}${filter}`
    const started = performance.now()
    const response = await fetch(url, { headers: { authorization: large.authorization } })
    const { Conversations } = (await response.json()) as { Conversations: { Total: number } }
    times.push(performance.now() - started)
    found.push(Conversations.Total)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1)
  console.log(
    `search ${filter.padEnd(34)} median ${at(0.5)} ms (goal ${searchGoal}), 95 % ${at(0.95)} ms, at worst ${at(1)} ms; ` +
      `${times.length} questions, ${found.filter((total) => total > 0).length} found something, ${found.filter((total) => total === 5000).length} very much`,
  )
}

function searchQueries(): string[] {
  const languages: GeneratedMessage['language'][] = ['en', 'de', 'ja']
  const ranks = [0, 2, 5, 11, 30, 80, 200, 500, 1_000, 2_000, 5_000, 9_000, 15_000, 19_000]
  const words = languages.flatMap((language) => ranks.map((rank) => wordOf(language, rank)))
  const pairs = languages.flatMap((language) =>
    ranks.slice(0, -1).map((rank, at) => [wordOf(language, rank), wordOf(language, ranks[at + 1] ?? 0)].join(' ')),
  )
  const prefixes = words.map((word) => [...word].slice(0, 3).join(''))
  return [...words, ...pairs, ...prefixes, messageAt(7).person, messageAt(1_000).person]
}

const batch = 5_000

/** Over two years: 10% open, a fifth of these assigned; 0.5% have one tag, half have another; half of the open ones are unread, so that both accounts have a full page. */
async function fill(url: string, { account, items }: Side) {
  const started = performance.now()
  await ownerQuery(url, 'delete from inbox_items where account_id = $1', [account])
  await ownerQuery(url, 'delete from inbox_item_counts where account_id = $1', [account])
  const credential = await credentialOf(url, account)
  for (let from = 0; from < items; from += batch) {
    const messages = Array.from({ length: Math.min(batch, items - from) }, (_, at) => messageAt(from + at))
    await ownerQuery(url, insertion, [
      account,
      credential,
      from,
      messages.map(({ text }) => text),
      messages.map(({ person }) => person),
      messages.map(({ language }) => language),
      messages.map(({ person, text }) => `{${termsOf([person, text]).map((word) => `"${account}:${word}"`)}}`),
    ])
  }
  await ownerQuery(
    url,
    `insert into inbox_item_counts (account_id, credential_id, network, item_type, status, assignee_id, items)
    select account_id, credential_id, network, item_type, status, assignee_id, count(*) from inbox_items where account_id = $1 group by 1, 2, 3, 4, 5, 6`,
    [account],
  )
  for (const [id, name, every] of [
    ['etgbench0000001', 'Many', 2],
    ['etgbench0000002', 'Few', 200],
  ] as const) {
    await ownerQuery(
      url,
      `insert into conversation_tags (account_id, id, created, modified, created_by, value) values ($1, $2, now(), now(), '', $3)`,
      [account, id, name],
    )
    await ownerQuery(
      url,
      `insert into inbox_item_tags (account_id, item_id, tag_id, created)
      select account_id, id, $2, now() from inbox_items where account_id = $1 and right(id, 8)::int % $3::int = 0`,
      [account, id, every],
    )
  }
  await ownerQuery(
    url,
    `insert into inbox_read_cursors (account_id, user_id, all_before) select account_id, id, now() - interval '1 year' from users where account_id = $1 on conflict do nothing`,
    [account],
  )
  console.log(`${items} items made in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

async function credentialOf(url: string, account: string): Promise<string> {
  const id = '003-1-bench'
  await ownerQuery(
    url,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
    values ($1, $2, now(), now(), '', 'LinkedIn', 'bench', 'page', 'Bench', '', '', 'invalid') on conflict do nothing`,
    [account, id],
  )
  return id
}

const insertion = `
  insert into inbox_items (account_id, id, created, modified, credential_id, network, item_type, origin, status, assignee_id, remote_key,
    event_date, last_activity, person_id, person_name, text, language, words)
  select $1, 'eitbnch' || lpad(n::text, 8, '0'), at, at, $2,
    (array['Facebook', 'Twitter', 'LinkedIn', 'Instagram', 'YouTube', 'TikTok'])[n % 6 + 1], (array['Conversation', 'Post', 'Mention', 'Reply'])[n / 6 % 4 + 1],
    'owned', case when n % 10 = 0 then 'open' else 'closed' end, case when n % 5 = 0 then '${user}' else '' end, 'bench:' || n,
    at, at, 'person' || n % 100000, person, text, language, array_to_tsvector(words::text[])
  from (select $3::int + ordinality::int as n, text, person, language, words,
      date_trunc('milliseconds', now() - (abs(hashint4($3::int + ordinality::int)) % 63072000) * interval '1 second') as at
    from unnest($4::text[], $5::text[], $6::text[], $7::text[]) with ordinality as said (text, person, language, words)) made`
