import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { restoreMarks } from '#areas/sending/sender.ts'
import { backup, restore } from '#kernel/database/transfer/transfer.ts'
import { migrationFolders, version } from '#main/project.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import type { RunningService } from '../processes.ts'
import { type Harness, openHarness, openQueries, type Query, type RunOptions } from './harness.ts'
import { connectProfiles, createCampaigns, type PlannedPost, profileKinds, schedulePosts } from './posts.ts'

interface RestoreOptions extends RunOptions {
  posts: number
  /** Age of the backup at restore. */
  minutes: number
  /** Seconds to observe the restored service. */
  watch: number
  /** Negative control: the service treats the old copy as current. */
  trustBackup?: true
}

export interface RestoreReport {
  posts: number
  minutes: number
  seed: number
  /** Posts on the networks before the restore. */
  sent: number
  /** Posts that were published again after the restore. */
  resent: number
  /** States in the restored service of posts sent since the backup. */
  states: Record<string, number>
  /** Future posts that were not published exactly once. */
  aheadNotOnce: number
  seconds: number
}

/** Less than the allowed lateness of posts. */
const stepMinutes = 30
const ahead = 6
/** Longer than a backup or restore takes on a busy machine. */
const leewayMinutes = 9
const minute = 60_000

/** Restores a backup after all its pending posts were sent. */
export async function publishRestore(options: RestoreOptions): Promise<RestoreReport> {
  const { minutes, watch, trustBackup } = options
  const stored = await createBackup({ ...options, ages: [minutes] })
  try {
    return await stored.restored(minutes, { watch, trustBackup, workers: 2 })
  } finally {
    await stored.stop()
  }
}

interface BackupOptions extends Pick<RestoreOptions, 'posts' | keyof RunOptions> {
  /** Ages in minutes at which it will be restored, ascending. */
  ages: readonly number[]
}

export interface StoredBackup {
  /** Restores it into a new database and runs a service on it; later restores must have a greater age. */
  restored(
    minutes: number,
    options: { watch: number; workers: number; trustBackup?: true | undefined },
  ): Promise<RestoreReport>
  stop(): Promise<void>
}

/** A backup of a service that continued until the first restore. */
export async function createBackup(options: BackupOptions): Promise<StoredBackup> {
  const { posts: count, ages, seed, log = () => {}, ...rest } = options
  const started = performance.now()
  const harness = await openHarness({ ...rest, environment: {}, latency: [5, 20] })
  const folder = await temporaryFolder()
  const stop = async () => {
    await harness.stop()
    await folder.remove()
  }
  const file = join(folder.path, 'backup.gz')
  const [first = 0] = ages
  const createPosts = async () => {
    const worker = await harness.startWorker()
    try {
      const unconfirmed = await openUnconfirmedPosts(harness)
      const start = Date.now()
      const posts = await schedule(harness, start, count, ages)
      await unconfirmed.waitForStates()
      await backup({ url: harness.databaseUrl, file, now: new Date(), version })
      for (let minutesPassed = 0; minutesPassed < first; ) {
        minutesPassed = Math.min(first, minutesPassed + stepMinutes)
        await harness.control('/clock', { now: start + minutesPassed * minute })
        await worker.send({ ahead: minutesPassed * minute })
        await waitForClock(harness.query, start + minutesPassed * minute)
        await waitForSends(harness.query, start + minutesPassed * minute)
        log(`${minutesPassed} minutes later`)
      }
      return { trouble: unconfirmed, posts, start }
    } finally {
      await worker.stop()
    }
  }
  const {
    trouble: unconfirmed,
    posts,
    start,
  } = await createPosts().catch(async (error) => {
    await stop()
    throw error
  })
  const dueBefore = (minutes: number) => posts.filter(({ planned }) => planned.getTime() < start + minutes * minute)
  return {
    stop,
    async restored(minutes, { watch, workers, trustBackup }) {
      const target = await rest.databases.empty()
      const queries = openQueries(target.url)
      const children: RunningService[] = []
      try {
        const duePosts = dueBefore(minutes)
        if (minutes > first) await harness.control('/clock', { now: start + minutes * minute })
        const before = await texts(harness)
        await restore({ url: target.url, file, migrationFolders, marks: restoreMarks })
        if (trustBackup) await queries.query(markCurrent, [new Date(start + minutes * minute)])
        const environment = {
          CHORUS_DATABASE_URL: target.url,
          CHAOS_AHEAD: String(minutes * minute),
          ...(trustBackup && { CHORUS_PUBLISH_MAX_DELAY: '24h' }),
        }
        const startingWorkers = Array.from({ length: workers }, () => harness.startWorker(environment))
        children.push(...(await Promise.all(startingWorkers)))
        await waitForSends(queries.query, start + minutes * minute)
        await sleep(watch * 1_000)
        const resent = (await texts(harness)).length - before.length
        const states = await statesAt(queries.query, [...duePosts, ...unconfirmed.posts])
        const later = minutes + leewayMinutes + 1
        await Promise.all(children.map((child) => child.send({ ahead: later * minute })))
        await waitForSends(queries.query, start + later * minute)
        const after = await texts(harness)
        const isOnce = ({ text }: PlannedPost) => after.filter((one) => one.startsWith(`${text} `)).length === 1
        const ahead = dueBefore(later).slice(duePosts.length)
        return {
          posts: duePosts.length,
          minutes,
          seed,
          sent: before.length,
          resent,
          states,
          aheadNotOnce: ahead.filter((post) => !isOnce(post)).length,
          seconds: Math.round((performance.now() - started) / 1000),
        }
      } finally {
        await Promise.all(children.map((child) => child.stop()))
        await queries.close()
        await target.drop()
      }
    },
  }
}

/** Posts spread evenly before the restore, and some after each restore, ordered by time. */
async function schedule(harness: Harness, start: number, count: number, ages: readonly number[]) {
  const [campaignId = ''] = await createCampaigns(harness, 1)
  const { x, facebook, linkedInPage } = profileKinds
  const profiles = await connectProfiles(harness, [facebook, x, facebook, linkedInPage, facebook])
  const post = (index: number, after: number) => {
    const profile = profiles[index % profiles.length]
    return { campaignId, profiles: profile ? [profile] : [], planned: new Date(start + after * minute) }
  }
  const [first = 0] = ages
  // The first one is due after the backup.
  const duePosts = Array.from({ length: count }, (_, index) =>
    post(index, leewayMinutes + ((first - leewayMinutes) * index) / count),
  )
  const later = ages.flatMap((minutes) =>
    Array.from({ length: ahead }, (_, index) => post(index, minutes + leewayMinutes)),
  )
  return schedulePosts(harness, [...duePosts, ...later])
}

const texts = async (harness: Harness) => (await harness.ledger()).map(({ text }) => text)

/** Waits until the sender has processed the clock change: two steps at once would exceed the allowed downtime. */
async function waitForClock(query: Query, time: number) {
  for (let elapsed = 0; elapsed < 240_000; elapsed += 100) {
    if ((await query('select from sending_state where alive >= $1', [new Date(time)])).length > 0) return
    await sleep(100)
  }
  throw new Error('The engine did not notice how late it is.')
}

/** Waits until no sends due before this time are open. */
async function waitForSends(query: Query, time: number) {
  const open = `select from sends where due <= $1 and state in ('waiting', 'preparing', 'sending', 'unknown') limit 1`
  for (let elapsed = 0; elapsed < 240_000; elapsed += 100) {
    if ((await query(open, [new Date(time)])).length === 0) return
    await sleep(100)
  }
}

async function statesAt(query: Query, posts: readonly PlannedPost[]): Promise<Record<string, number>> {
  const rows = await query<{ state: string; sends: number }>(
    'select state, count(*)::int as sends from sends where content_id = any($1) group by 1 order by 1',
    [posts.map(({ id }) => id)],
  )
  return Object.fromEntries(rows.map(({ state, sends }) => [state, sends]))
}

const markCurrent = `update sending_state set alive = $1, hold_before = 'epoch'`

/** Posts in intermediate states. */
interface UnconfirmedPosts {
  posts: readonly PlannedPost[]
  /** Waits until all are in their state. */
  waitForStates(): Promise<void>
}

/** One rate-limited post, one with media in processing, one with a lost response. */
async function openUnconfirmedPosts(harness: Harness): Promise<UnconfirmedPosts> {
  const [campaignId = ''] = await createCampaigns(harness, 1)
  const profiles = await connectProfiles(harness, [
    profileKinds.facebook,
    profileKinds.instagram,
    profileKinds.facebook,
  ])
  const [busy, , lost] = profiles
  const publish = { network: 'Facebook', operation: 'publish' }
  await harness.control('/fault', { ...publish, profile: busy?.remoteId, fault: 'rate-limit' })
  await harness.control('/fault', { ...publish, profile: lost?.remoteId, fault: 'lost-answer' })
  await harness.control('/processing', { network: 'Instagram', delayMs: 600_000 })
  const planned = new Date()
  const posts = await schedulePosts(
    harness,
    profiles.map((profile) => ({ campaignId, profiles: [profile], planned })),
  )
  return {
    posts,
    async waitForStates() {
      for (let elapsed = 0; elapsed < 120_000; elapsed += 50) {
        const rows = await harness.query<{ state: string; attempts: number }>(
          'select state, attempts from sends where content_id = any($1) order by state',
          [posts.map(({ id }) => id)],
        )
        const states = rows.map(({ state, attempts }) => `${state} ${attempts}`).join()
        if (states === 'preparing 1,unknown 1,waiting 1') return
        await sleep(50)
      }
      throw new Error('The posts did not get into trouble.')
    },
  }
}
