import { eventIds } from '#areas/events/event-type.ts'
import { newId } from '#kernel/ids.ts'
import { type Advocate, placeAdvocacy } from '../../tests/support/advocacy.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { account } from '../installation.ts'
import { type Harness, openWorkerHarness, postPrefix, type RunOptions } from '../publishing/harness.ts'
import { killWorkers, pointsOf } from '../publishing/kills.ts'
import { createCampaigns } from '../publishing/posts.ts'
import { resendUnconfirmed, settled } from '../publishing/verdicts.ts'

interface ShareKillOptions extends RunOptions {
  shares: number
  advocates: number
  kills: number
  workers?: number
  /** Failpoints used in turn; all by default. */
  points?: readonly string[]
  /** Negative control: resends unconfirmed items without searching for them. */
  blind?: true
}

export interface ShareKillReport {
  seed: number
  shares: number
  kills: number
  lost: number
  doubled: number
  /** Items whose state in the database differs from the network. */
  disagreeing: number
  wrongCounts: number
  stuck: number
  seconds: number
}

/** Advocates share while workers are killed at every failpoint; compares the ledger of the networks with the requested shares. */
export async function shareKills({
  shares,
  advocates,
  kills,
  workers = 2,
  blind,
  points = pointsOf(blind),
  seed,
  log = () => {},
  ...rest
}: ShareKillOptions): Promise<ShareKillReport> {
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
    // Facebook accepts duplicate texts, so double sends are detected.
    const source = await openAdvocates(harness, { advocates, network: 'Facebook' })
    await killWorkers(pool, {
      workers,
      points,
      kills,
      random,
      pauseMs: 500,
      source,
      portion: Math.floor(shares / (kills + 1)),
      killed: (name) => log(`killed ${name}: ${source.shares.length} shares`),
    })
    await source.release(Math.max(0, shares - source.shares.length))
    const stuck = await settled(harness, log)
    return {
      seed,
      shares: source.shares.length,
      kills,
      ...(await verify(harness, source.shares)),
      stuck,
      wrongCounts: await source.wrongCounts(),
      seconds: Math.round((performance.now() - started) / 1000),
    }
  } finally {
    await control?.stop()
    await workerHarness.stop()
  }
}

async function verify(harness: Harness, shares: readonly RequestedShare[]) {
  const ledger = await harness.ledger()
  const rows = await harness.query<{ id: string; status: string; remote_id: string }>(
    'select id, status, remote_id from shares where id = any ($1)',
    [shares.map(({ id }) => id)],
  )
  const known = new Map(rows.map((row) => [row.id, row]))
  const found = shares.map(({ id, token, remoteProfile }) => ({
    entries: ledger.filter(({ text, profile }) => text.includes(token) && profile === remoteProfile),
    row: known.get(id),
  }))
  return {
    lost: found.filter(({ entries }) => entries.length === 0).length,
    doubled: found.filter(({ entries }) => entries.length > 1).length,
    disagreeing: found.filter(
      ({ entries, row }) => row?.status !== 'complete' || row.remote_id !== entries[0]?.remoteId,
    ).length,
  }
}

/** Violations in a report. */
export const brokenByShareKills = ({ lost, doubled, disagreeing, wrongCounts, stuck }: ShareKillReport): string[] =>
  Object.entries({ lost, doubled, disagreeing, wrongCounts, stuck }).flatMap(([name, count]) =>
    count === 0 ? [] : [`${name}: ${count}`],
  )

/** One requested share; the network must have its text exactly once. */
export interface RequestedShare {
  id: string
  /** Unique text of the share. */
  token: string
  remoteProfile: string
}

interface Sharer extends Advocate {
  credentialId: string
  remoteId: string
}

/** Advocates with one profile each, on a board whose stories they share with unique texts. */
async function openAdvocates(harness: Harness, { advocates, network }: { advocates: number; network: string }) {
  const { url, databaseUrl, keys, control } = harness
  const advocacy = placeAdvocacy({ url, databaseUrl, keys, control, account })
  const [campaignId = ''] = await createCampaigns(harness, 1)
  const boardId = await advocacy.board({ share_window: 0 })
  const sharers: Sharer[] = []
  for (let number = 0; number < advocates; number++) {
    const sharer = await advocacy.advocate(boardId)
    const { id: credentialId, remoteId } = await advocacy.profile(sharer.id, network, 'page')
    sharers.push({ ...sharer, credentialId, remoteId })
  }
  const shares: RequestedShare[] = []
  const stories: Promise<string>[] = []
  let number = 0
  const shareNext = async () => {
    const [round, turn] = [Math.floor(number / sharers.length), number % sharers.length]
    number++
    stories[round] ??= advocacy.story(boardId, { campaignId })
    const sharer = sharers[turn] as Sharer
    const token = newId(eventIds.event, new Date())
    const message = `${postPrefix} ${token} https://shop.example/${token}`
    const body = { storyId: await stories[round], credentialIds: sharer.credentialId, message }
    const { status, json, text } = await sharer.ask(`POST /app/api/board/${boardId}/share`, { body })
    if (status !== 200) throw new Error(text)
    shares.push({ id: json.Items[0].Id, token, remoteProfile: sharer.remoteId })
  }
  return {
    shares,
    /** Creates shares through the API, one advocate after another; each story once per advocate. */
    async release(count: number) {
      for (let left = count; left > 0; left--) await shareNext()
    },
    /** Number of differences between the board counters and the shares. */
    async wrongCounts(): Promise<number> {
      const [row] = await harness.query<{ counted: number; summed: number }>(
        `select coalesce((select value from counters where of_kind = 'board' and of_id = $1 and name = 'shares'), 0)::int as counted,
          (select coalesce(sum(share_count), 0)::int from stories where board_id = $1) as summed`,
        [boardId],
      )
      return Number(row?.counted !== shares.length) + Number(row?.summed !== shares.length)
    },
  }
}
