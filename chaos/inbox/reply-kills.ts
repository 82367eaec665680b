import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { resendBlindly } from '../publishing/blind.ts'
import { failpoints, killOne, pointsOf } from '../publishing/kills.ts'
import type { RunOptions } from '../publishing/run-options.ts'
import { openScene } from '../publishing/scene.ts'
import type { Order } from '../publishing/service-process.ts'
import type { Stage } from '../publishing/stage.ts'
import { settled } from '../publishing/waiting.ts'
import { openDesk, type WantedReply } from './desk.ts'

interface ReplyKillOptions extends RunOptions {
  replies: number
  pages: number
  kills: number
  workers?: number
  /** Where workers die, in turn; everywhere unless told. */
  points?: readonly string[]
  /** The control: what got no answer is sent again. */
  blind?: true
}

export interface ReplyKillReport {
  seed: number
  replies: number
  kills: number
  lost: number
  doubled: number
  /** Those of which the database says something else than the network. */
  disagreeing: number
  /** Those that do not stand in their timeline once, as sent. */
  wrongTimelines: number
  /** Those of which webhooks were not told once. */
  wrongEvents: number
  /** By how many answers, and first answers, reports are wrong. */
  wrongFigures: number
  stuck: number
  seconds: number
}

/** Somebody answers conversations while workers are killed at every point of a send and networks lose their answers. */
export async function replyKills({
  replies,
  pages,
  kills,
  workers = 2,
  blind,
  points = pointsOf(blind),
  seed,
  say = () => {},
  ...rest
}: ReplyKillOptions): Promise<ReplyKillReport> {
  const begun = performance.now()
  const chance = randomness(seed)
  const scene = await openScene({ ...rest, workers, environment: { CHORUS_PUBLISH_LOOKS: '1s,2s,4s' } })
  const { stage, crew } = scene
  const control = blind && resendBlindly(stage)
  try {
    const desk = await openDesk(stage, pages)
    const names = Array.from({ length: kills }, (_, index) => points[index % points.length] as string)
    const portion = Math.floor(replies / (kills + 1))
    await Promise.all(
      Array.from({ length: workers }, async (_, slot) => {
        for (let name = names.shift(); name; name = names.shift()) {
          await crew.ready(slot)
          await sleep(chance() * 500)
          await desk.release(portion)
          await killOne(crew, slot, failpoints[name]?.(chance) as Order, desk)
          say(`killed ${name}: ${desk.replies.length} answered`)
        }
      }),
    )
    await desk.release(Math.max(0, replies - desk.replies.length))
    const stuck = await settled(stage, say)
    const verdict = await judge(stage, desk.replies)
    const seconds = Math.round((performance.now() - begun) / 1000)
    return { seed, replies: desk.replies.length, kills, ...verdict, stuck, seconds }
  } finally {
    await control?.stop()
    await scene.stop()
  }
}

interface Row {
  item_id: string
  status: string
  remote_id: string
  entries: { status: string; remoteId: string }[]
}

async function judge(stage: Stage, replies: readonly WantedReply[]) {
  const ledger = await stage.ledger('')
  const ids = replies.map(({ itemId }) => itemId)
  const rows = await stage.query<Row>(
    `select r.item_id, r.status, r.remote_id, array(select jsonb_build_object('status', e.details ->> 'status', 'remoteId', e.remote_id)
      from inbox_entries e where e.account_id = r.account_id and e.item_id = r.item_id and e.is_own) as entries
    from inbox_replies r where r.item_id = any ($1)`,
    [ids],
  )
  const events = await stage.query<{ data: string }>(
    `select data::text as data from events where type = 'inboxItemReplied'`,
  )
  const figures = await stage.query<{ value: number }>(
    `select sum(value)::int as value from quarter_figures where of_kind = 'profile' and name in ('inboxReplied', 'responses')
      and of_id in (select credential_id from inbox_replies where item_id = any ($1)) group by name`,
    [ids],
  )
  const known = new Map(rows.map((row) => [row.item_id, row]))
  const found = replies.map(({ itemId, token, remoteProfile }) => ({
    entries: ledger.filter(({ text, profile }) => text.includes(token) && profile === remoteProfile),
    told: events.filter(({ data }) => data.includes(token)).length,
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
    wrongEvents: count(({ told }) => told !== 1),
    // Each is the first answer to somebody.
    wrongFigures: [0, 1].reduce((sum, at) => sum + Math.abs((figures[at]?.value ?? 0) - replies.length), 0),
  }
}

/** What a report says that must not be. */
export const brokenByReplyKills = ({ seed, replies, kills, seconds, ...counts }: ReplyKillReport): string[] =>
  Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${name}: ${count}`]))
