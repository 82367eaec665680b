import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { restoreMarks } from '#areas/sending/sender.ts'
import { backup, restore } from '#kernel/database/transfer/transfer.ts'
import { migrationsFolder, version } from '#main/project.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { makeCampaigns, type PlannedPost, schedulePosts } from './posts.ts'
import { connectProfiles, kinds } from './profiles.ts'
import type { RunOptions } from './run-options.ts'
import type { RunningService } from './service-inside.ts'
import { openLooks, openStage, type Query, type Stage } from './stage.ts'
import { openTrouble } from './trouble.ts'

interface RestoreOptions extends RunOptions {
  posts: number
  /** How old the backup is when it is restored. */
  minutes: number
  /** How long the restored service is watched, in seconds. */
  watch: number
  /** The control: a service that takes the old copy for the present. */
  believing?: true
}

export interface RestoreReport {
  posts: number
  minutes: number
  seed: number
  /** What the networks had before the backup was restored. */
  sent: number
  /** What they got after it that they had already. */
  resent: number
  /** States of the posts that were sent since the backup, as the restored service has them. */
  states: Record<string, number>
  /** Posts that lay ahead of the restored service and did not go out exactly once. */
  aheadNotOnce: number
  seconds: number
}

/** Less than posts may be late. */
const stepMinutes = 30
const ahead = 6
/** Longer than it takes to make the backup, or to restore it, on a machine that is busy with other things. */
const leewayMinutes = 9
const minute = 60_000

/** Restores a backup after everything that waited in it was sent. */
export async function publishRestore(options: RestoreOptions): Promise<RestoreReport> {
  const { minutes, watch, believing } = options
  const kept = await keepBackup({ ...options, ages: [minutes] })
  try {
    return await kept.restored(minutes, { watch, believing, workers: 2 })
  } finally {
    await kept.stop()
  }
}

interface BackupOptions extends Pick<RestoreOptions, 'posts' | keyof RunOptions> {
  /** When it will be restored, in minutes, the first time first. */
  ages: readonly number[]
}

export interface KeptBackup {
  /** Restores it into a database of its own and lets a service work there; all that come later have a greater age. */
  restored(
    minutes: number,
    options: { watch: number; workers: number; believing?: true | undefined },
  ): Promise<RestoreReport>
  stop(): Promise<void>
}

/** A backup of a service that went on until it is restored for the first time, and was gone then. */
export async function keepBackup(options: BackupOptions): Promise<KeptBackup> {
  const { posts: count, ages, seed, say = () => {}, ...rest } = options
  const begun = performance.now()
  const stage = await openStage({ ...rest, environment: {}, latency: [5, 20] })
  const folder = await temporaryFolder()
  const stop = async () => {
    await stage.stop()
    await folder.remove()
  }
  const file = join(folder.path, 'backup.gz')
  const [first = 0] = ages
  const make = async () => {
    const worker = await stage.startWorker()
    try {
      const trouble = await openTrouble(stage)
      const start = Date.now()
      const posts = await schedule(stage, start, count, ages)
      await trouble.underWay()
      await backup({ url: stage.databaseUrl, file, now: new Date(), version })
      for (let passed = 0; passed < first; ) {
        passed = Math.min(first, passed + stepMinutes)
        await stage.control('/clock', { now: start + passed * minute })
        await worker.tell({ ahead: passed * minute })
        await noticed(stage.query, start + passed * minute)
        await quiet(stage.query, start + passed * minute)
        say(`${passed} minutes later`)
      }
      return { trouble, posts, start }
    } finally {
      await worker.stop()
    }
  }
  const { trouble, posts, start } = await make().catch(async (error) => {
    await stop()
    throw error
  })
  const dueBefore = (minutes: number) => posts.filter(({ planned }) => planned.getTime() < start + minutes * minute)
  return {
    stop,
    async restored(minutes, { watch, workers, believing }) {
      const target = await rest.databases.empty()
      const looks = openLooks(target.url)
      const children: RunningService[] = []
      try {
        const past = dueBefore(minutes)
        if (minutes > first) await stage.control('/clock', { now: start + minutes * minute })
        const before = await texts(stage)
        await restore({ url: target.url, file, migrationsFolder, marks: restoreMarks })
        if (believing) await looks.query(believe, [new Date(start + minutes * minute)])
        const environment = {
          CHORUS_DATABASE_URL: target.url,
          CHAOS_AHEAD: String(minutes * minute),
          ...(believing && { CHORUS_PUBLISH_LATENESS: '24h' }),
        }
        const starting = Array.from({ length: workers }, () => stage.startWorker(environment))
        children.push(...(await Promise.all(starting)))
        await quiet(looks.query, start + minutes * minute)
        await sleep(watch * 1_000)
        const resent = (await texts(stage)).length - before.length
        const states = await statesAt(looks.query, [...past, ...trouble.posts])
        const later = minutes + leewayMinutes + 1
        await Promise.all(children.map((child) => child.tell({ ahead: later * minute })))
        await quiet(looks.query, start + later * minute)
        const after = await texts(stage)
        const once = ({ text }: PlannedPost) => after.filter((one) => one.startsWith(`${text} `)).length === 1
        const ahead = dueBefore(later).slice(past.length)
        return {
          posts: past.length,
          minutes,
          seed,
          sent: before.length,
          resent,
          states,
          aheadNotOnce: ahead.filter((post) => !once(post)).length,
          seconds: Math.round((performance.now() - begun) / 1000),
        }
      } finally {
        await Promise.all(children.map((child) => child.stop()))
        await looks.close()
        await target.drop()
      }
    },
  }
}

/** Those that fall due before the backup is restored, evenly, and some that fall due after each time it is; in the order of their times. */
async function schedule(stage: Stage, start: number, count: number, ages: readonly number[]) {
  const [campaignId = ''] = await makeCampaigns(stage, 1)
  const { x, facebook, linkedInPage } = kinds
  const profiles = await connectProfiles(stage, [facebook, x, facebook, linkedInPage, facebook])
  const post = (index: number, after: number) => {
    const profile = profiles[index % profiles.length]
    return { campaignId, profiles: profile ? [profile] : [], planned: new Date(start + after * minute) }
  }
  const [first = 0] = ages
  // The first of them only after the backup was made.
  const past = Array.from({ length: count }, (_, index) =>
    post(index, leewayMinutes + ((first - leewayMinutes) * index) / count),
  )
  const later = ages.flatMap((minutes) =>
    Array.from({ length: ahead }, (_, index) => post(index, minutes + leewayMinutes)),
  )
  return schedulePosts(stage, [...past, ...later])
}

const texts = async (stage: Stage) => (await stage.ledger()).map(({ text }) => text)

/** Waits until the engine has noticed that it is so late: two steps that it takes for one are longer than it may be away. */
async function noticed(query: Query, moment: number) {
  for (let waited = 0; waited < 240_000; waited += 100) {
    if ((await query('select from sending_state where alive >= $1', [new Date(moment)])).length > 0) return
    await sleep(100)
  }
  throw new Error('The engine did not notice how late it is.')
}

/** Waits until nothing is left to do before this moment. */
async function quiet(query: Query, moment: number) {
  const open = `select from sends where due <= $1 and state in ('waiting', 'preparing', 'sending', 'unknown') limit 1`
  for (let waited = 0; waited < 240_000; waited += 100) {
    if ((await query(open, [new Date(moment)])).length === 0) return
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

const believe = `update sending_state set alive = $1, hold_before = 'epoch'`
