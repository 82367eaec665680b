import { setTimeout as sleep } from 'node:timers/promises'
import { retryUntilAvailable } from '../databases.ts'
import type { Harness, LedgerEntry } from './harness.ts'
import { linkedSite, type PlannedPost } from './posts.ts'

interface Send {
  post: string
  credential: string
  state: string
  error: string
  postStatus: string
  log: string | null
  logRemoteId: string | null
}

/** One post on one profile, on the network and in the database. */
export interface Verdict {
  post: PlannedPost
  credential: string
  /** Ledger entries of the network. */
  entries: LedgerEntry[]
  send: Send | undefined
}

/** Outcome of posts on the networks and in the database. */
export async function verdicts(harness: Harness, posts: readonly PlannedPost[]): Promise<Verdict[]> {
  const ledger = grouped(await harness.ledger(), ({ profile, text }) => `${profile} ${tokenIn(text)}`)
  const rows = await harness.query<Send>(sends, [posts.map(({ id }) => id)])
  const sendsByPost = new Map(rows.map((row) => [`${row.post} ${row.credential}`, row]))
  return posts.flatMap((post) =>
    post.profiles.map(({ id: credential, remoteId }) => ({
      post,
      credential,
      entries: ledger.get(`${remoteId} ${post.id}`) ?? [],
      send: sendsByPost.get(`${post.id} ${credential}`),
    })),
  )
}

export interface Tally {
  /** Planned sends. */
  sends: number
  /** Sends missing on the network. */
  lost: number
  /** Sends that are on the network more than once. */
  doubled: number
  /** Items whose state in the database differs from the network. */
  disagreeing: number
  /** Sends without a short link. */
  unshortened: number
}

export function tally(found: readonly Verdict[]): Tally {
  return {
    sends: found.length,
    lost: found.filter(({ entries }) => entries.length === 0).length,
    doubled: found.filter(({ entries }) => entries.length > 1).length,
    disagreeing: found.filter((one) => !isConsistent(one)).length,
    unshortened: found.filter(({ entries }) => entries.some(({ text }) => text.includes(linkedSite))).length,
  }
}

/** Sent exactly once, and consistent in the database. */
export const isConsistent = ({ entries, send }: Verdict) =>
  entries.length === 1 &&
  send?.state === 'sent' &&
  send.log === 'success' &&
  send.logRemoteId === entries[0]?.remoteId &&
  send.postStatus === 'complete'

/** Posts without exactly one webhook event. */
export async function wrongEvents(harness: Harness, posts: readonly PlannedPost[]): Promise<number> {
  const rows = await harness.query<{ data: string }>(`select data::text from events where type = 'postSent'`)
  const eventsByPost = grouped(rows, ({ data }) => tokenIn(data))
  return posts.filter(({ id }) => eventsByPost.get(id)?.length !== 1).length
}

/** Counters that differ from a recount. */
export async function wrongCounts(harness: Harness): Promise<number> {
  const [row] = await harness.query<{ wrong: number }>(recount)
  return row?.wrong ?? Number.NaN
}

/** Number of sends without a final state, except those of the demo. */
export async function openSends(
  harness: Harness,
  states = ['waiting', 'preparing', 'sending', 'unknown'],
): Promise<number> {
  const text = `select count(*)::int as open from sends where state = any($1) and group_id not like '002demo%'`
  return (await retryUntilAvailable(() => harness.query<{ open: number }>(text, [states])))[0]?.open ?? Number.NaN
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

/** Waits until every send has a final state; returns the number of open ones after a long time without progress. */
export async function settled(harness: Harness, log: (line: string) => void, maxIdleRounds = 120): Promise<number> {
  let before = Number.POSITIVE_INFINITY
  for (let idleRounds = 0; idleRounds < maxIdleRounds; idleRounds++) {
    const open = await openSends(harness)
    if (open === 0) return 0
    if (open < before) idleRounds = 0
    before = Math.min(before, open)
    if (idleRounds % 4 === 0) log(`${open} sends open`)
    await sleep(250)
  }
  return before
}

/** p50, p99 and maximum of the values. */
export function percentiles(values: readonly number[]) {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { measured: sorted.length, p50: at(0.5), p99: at(0.99), slowest: at(1) }
}

/** Negative control: resends unconfirmed posts without searching for them. */
export function resendUnconfirmed(harness: Harness) {
  let stopping = false
  const done = (async () => {
    while (!stopping) {
      // After a second, so that duplicate checks of the networks do not hide it.
      await harness.query(`update sends set state = 'waiting', progress = null, intent = null, confirmations = 0,
        due = now() + interval '1 second' where state = 'unknown'`)
      await sleep(100)
    }
  })()
  return {
    async stop() {
      stopping = true
      await done
    },
  }
}
