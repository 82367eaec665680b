import { patiently } from '../patience.ts'
import { linkedSite, type PlannedPost } from './posts.ts'
import type { LedgerEntry, Stage } from './stage.ts'

interface Send {
  post: string
  credential: string
  state: string
  error: string
  postStatus: string
  log: string | null
  logRemoteId: string | null
}

/** One post on one profile: what its network has, and what the database says. */
export interface Verdict {
  post: PlannedPost
  credential: string
  /** As often as the network has it. */
  entries: LedgerEntry[]
  send: Send | undefined
}

/** What became of posts, seen from the networks and from the database. */
export async function verdicts(stage: Stage, posts: readonly PlannedPost[]): Promise<Verdict[]> {
  const ledger = grouped(await stage.ledger(), ({ profile, text }) => `${profile} ${tokenIn(text)}`)
  const rows = await stage.query<Send>(sends, [posts.map(({ id }) => id)])
  const known = new Map(rows.map((row) => [`${row.post} ${row.credential}`, row]))
  return posts.flatMap((post) =>
    post.profiles.map(({ id: credential, remoteId }) => ({
      post,
      credential,
      entries: ledger.get(`${remoteId} ${post.id}`) ?? [],
      send: known.get(`${post.id} ${credential}`),
    })),
  )
}

export interface Tally {
  /** Posts on profiles, as planned. */
  sends: number
  /** Those no network has. */
  lost: number
  /** Those a network has more than once. */
  doubled: number
  /** Those of which the database says something else than the network. */
  disagreeing: number
  /** Those that went out without a short link. */
  unshortened: number
}

export function tally(found: readonly Verdict[]): Tally {
  return {
    sends: found.length,
    lost: found.filter(({ entries }) => entries.length === 0).length,
    doubled: found.filter(({ entries }) => entries.length > 1).length,
    disagreeing: found.filter((one) => !agrees(one)).length,
    unshortened: found.filter(({ entries }) => entries.some(({ text }) => text.includes(linkedSite))).length,
  }
}

/** Sent once, and everything the database says fits to it. */
export const agrees = ({ entries, send }: Verdict) =>
  entries.length === 1 &&
  send?.state === 'sent' &&
  send.log === 'success' &&
  send.logRemoteId === entries[0]?.remoteId &&
  send.postStatus === 'complete'

/** Posts that webhooks were not told of exactly once. */
export async function wrongEvents(stage: Stage, posts: readonly PlannedPost[]): Promise<number> {
  const rows = await stage.query<{ data: string }>(`select data::text from events where type = 'postSent'`)
  const told = grouped(rows, ({ data }) => tokenIn(data))
  return posts.filter(({ id }) => told.get(id)?.length !== 1).length
}

/** Campaigns and totals whose numbers a recount does not find. */
export async function wrongCounts(stage: Stage): Promise<number> {
  const [row] = await stage.query<{ wrong: number }>(recount)
  return row?.wrong ?? Number.NaN
}

/** How many sends are not at their end; those of the demo workspace lie ahead. */
export async function openSends(
  stage: Stage,
  states = ['waiting', 'preparing', 'sending', 'unknown'],
): Promise<number> {
  const text = `select count(*)::int as open from sends where state = any($1) and group_id not like '002demo%'`
  return (await patiently(() => stage.query<{ open: number }>(text, [states])))[0]?.open ?? Number.NaN
}

function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): Map<string | undefined, Item[]> {
  const groups = new Map<string | undefined, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

const tokenIn = (text: string) => /004[0-9A-Za-z]{12}/.exec(text)?.[0]

const sends = `
  select s.content_id as post, s.credential_id as credential, s.state, s.error, p.status as "postStatus", l.status as log,
    l.remote_id as "logRemoteId"
  from sends s join posts p on p.account_id = s.account_id and p.id = s.content_id
  left join postlogs l on l.account_id = s.account_id and l.post_id = s.content_id and l.credential_id = s.credential_id
  where s.kind = 'post' and s.content_id = any($1)`

const recount = `
  with counts as (select account_id, campaign_id, created_by, source, status, count(*) as posts from posts group by 1, 2, 3, 4, 5)
  select (select count(*) from counts c full join post_counts k using (account_id, campaign_id, created_by, source, status)
    where coalesce(c.posts, 0) <> coalesce(k.posts, 0))::int as wrong`
