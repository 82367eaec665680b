import { eventIds } from '#areas/events/event-type.ts'
import { newId } from '#kernel/ids.ts'
import { placeItem } from '../../tests/support/inbox.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { account } from '../installation.ts'
import { type Harness, openWorkerHarness, postPrefix, type RunOptions } from '../publishing/harness.ts'
import { killWorkers, pointsOf } from '../publishing/kills.ts'
import { type ConnectedProfile, connectProfiles, profileKinds } from '../publishing/posts.ts'
import { resendUnconfirmed, settled } from '../publishing/verdicts.ts'

interface ReplyKillOptions extends RunOptions {
  replies: number
  pages: number
  kills: number
  workers?: number
  /** Failpoints used in turn; all by default. */
  points?: readonly string[]
  /** Negative control: resends unconfirmed items without searching for them. */
  blind?: true
}

export interface ReplyKillReport {
  seed: number
  replies: number
  kills: number
  lost: number
  doubled: number
  /** Items whose state in the database differs from the network. */
  disagreeing: number
  /** Replies that are not in their timeline exactly once, as sent. */
  wrongTimelines: number
  /** Replies without exactly one webhook event. */
  wrongEvents: number
  /** Error of the reports in replies and first responses. */
  wrongCounters: number
  stuck: number
  seconds: number
}

/** Replies to conversations while workers are killed at every failpoint and networks lose responses. */
export async function replyKills({
  replies,
  pages,
  kills,
  workers = 2,
  blind,
  points = pointsOf(blind),
  seed,
  log = () => {},
  ...rest
}: ReplyKillOptions): Promise<ReplyKillReport> {
  const started = performance.now()
  const random = randomness(seed)
  const workerHarness = await openWorkerHarness({
    ...rest,
    workers,
    environment: { CHORUS_PUBLISH_CONFIRM_AFTER: '1s,2s,4s' },
  })
  const { harness, pool } = workerHarness
  const control = blind && resendUnconfirmed(harness)
  try {
    const source = await openReplyGenerator(harness, pages)
    await killWorkers(pool, {
      workers,
      points,
      kills,
      random,
      pauseMs: 500,
      source,
      portion: Math.floor(replies / (kills + 1)),
      killed: (name) => log(`killed ${name}: ${source.replies.length} replies`),
    })
    await source.release(Math.max(0, replies - source.replies.length))
    const stuck = await settled(harness, log)
    const verdict = await verify(harness, source.replies)
    const seconds = Math.round((performance.now() - started) / 1000)
    return { seed, replies: source.replies.length, kills, ...verdict, stuck, seconds }
  } finally {
    await control?.stop()
    await workerHarness.stop()
  }
}

interface Row {
  item_id: string
  status: string
  remote_id: string
  entries: { status: string; remoteId: string }[]
}

async function verify(harness: Harness, replies: readonly RequestedReply[]) {
  const ledger = await harness.ledger('')
  const ids = replies.map(({ itemId }) => itemId)
  const rows = await harness.query<Row>(
    `select r.item_id, r.status, r.remote_id, array(select jsonb_build_object('status', e.details ->> 'status', 'remoteId', e.remote_id)
      from inbox_entries e where e.account_id = r.account_id and e.item_id = r.item_id and e.is_own) as entries
    from inbox_replies r where r.item_id = any ($1)`,
    [ids],
  )
  const events = await harness.query<{ data: string }>(
    `select data::text as data from events where type = 'inboxItemReplied'`,
  )
  const counters = await harness.query<{ value: number }>(
    `select sum(value)::int as value from quarter_hour_rollups where of_kind = 'profile' and name in ('inboxReplied', 'responses')
      and of_id in (select credential_id from inbox_replies where item_id = any ($1)) group by name`,
    [ids],
  )
  const known = new Map(rows.map((row) => [row.item_id, row]))
  const found = replies.map(({ itemId, token, remoteProfile }) => ({
    entries: ledger.filter(({ text, profile }) => text.includes(token) && profile === remoteProfile),
    eventCount: events.filter(({ data }) => data.includes(token)).length,
    row: known.get(itemId),
  }))
  const count = (is: (one: (typeof found)[number]) => boolean) => found.filter(is).length
  return {
    lost: count(({ entries }) => entries.length === 0),
    doubled: count(({ entries }) => entries.length > 1),
    disagreeing: count(({ entries, row }) => row?.status !== 'sent' || row.remote_id !== entries[0]?.remoteId),
    wrongTimelines: count(({ entries, row }) => {
      const [entry, ...more] = row?.entries ?? []
      return more.length > 0 || entry?.status !== 'sent' || entry.remoteId !== entries[0]?.remoteId
    }),
    wrongEvents: count(({ eventCount }) => eventCount !== 1),
    // Each is a first response.
    wrongCounters: [0, 1].reduce((sum, at) => sum + Math.abs((counters[at]?.value ?? 0) - replies.length), 0),
  }
}

/** Violations in a report. */
export const brokenByReplyKills = ({ seed, replies, kills, seconds, ...counts }: ReplyKillReport): string[] =>
  Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${name}: ${count}`]))

/** One requested reply; the network must have its text exactly once. */
export interface RequestedReply {
  itemId: string
  /** Unique text of the reply. */
  token: string
  remoteProfile: string
}

/** One in this many responses of the network is lost. */
const lostResponseInterval = 10

/** Pages that receive messages and mentions, and replies through the API. */
async function openReplyGenerator(harness: Harness, pages: number) {
  const profiles = await connectProfiles(
    harness,
    // Facebook accepts duplicate texts, so double sends are detected.
    Array.from({ length: pages }, () => profileKinds.facebook),
  )
  const replies: RequestedReply[] = []
  let number = 0

  /** Creates a message or mention and its inbox item. */
  const receiveActivity = async ({ id, remoteId: profile }: ConnectedProfile, turn: number, isMessage: boolean) => {
    const from = { id: String(7_200_000_000_000_000 + turn), name: 'Robin Field' }
    const about = { network: 'Facebook', profile, from, text: 'Are you open?', push: false }
    const created = await harness.control('/inject', { ...about, kind: isMessage ? 'message' : 'mention' })
    const { remoteId, threadId } = created as { remoteId: string; threadId: string }
    const itemType = isMessage ? ('Conversation' as const) : ('Mention' as const)
    const inboxItem = { account, network: 'Facebook', credentialId: id, personId: from.id, postRemoteId: '', itemType }
    return placeItem(harness.databaseUrl, { ...inboxItem, remoteId: isMessage ? threadId : remoteId })
  }

  const replyNext = async () => {
    const turn = number++
    const profile = profiles[turn % profiles.length] as ConnectedProfile
    const isMessage = turn % 4 < 2
    const { id } = await receiveActivity(profile, turn, isMessage)
    if (turn % lostResponseInterval === 0) {
      const about = { network: 'Facebook', profile: profile.remoteId, operation: isMessage ? 'message' : 'comment' }
      await harness.control('/fault', { ...about, fault: 'lost-answer' })
    }
    const token = newId(eventIds.event, new Date())
    const body = { message: `${postPrefix} ${token}` }
    const { status, text } = await harness.admin(`POST /conversation/${id}/reply`, { body })
    if (status !== 200) throw new Error(text)
    replies.push({ itemId: id, token, remoteProfile: profile.remoteId })
  }

  return {
    replies,
    /** Sends this many replies, one after another. */
    async release(count: number) {
      for (let left = count; left > 0; left--) await replyNext()
    },
  }
}
