import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { buildPrograms } from '../../chaos/processes.ts'
import { caller } from '../../tests/support/caller.ts'
import { createDatabase, databaseAt } from '../../tests/support/database/nodes.ts'
import { key } from '../calls.ts'
import { end, start } from '../processes.ts'
import { type FeedTally, openFeeds } from './feeds.ts'
import { type LoadTally, postPrefix, startLoad } from './load.ts'
import { type MemorySamples, observeMemory } from './memory.ts'
import { blockMeans, type Point, type Trend, trendOf } from './trend.ts'

const minutes = Number(process.env.BENCH_MINUTES ?? 60)
const feedCount = 100
const account = '001demo00000001'
/** Start of caches, compiled code and statistics. */
const warmUpMinutes = Math.min(10, minutes / 6)
/** Garbage is collected this often, and resident memory is averaged over this time. */
const blockMinutes = minutes / 24
const lineMinutes = 5
const settleSeconds = 120

/** Whether memory grows and anything is lost in an hour of mixed load: calls, open feeds and posts that are published. */
export async function hourBenchmark(serverUrl: string, folder: string) {
  const { sandbox } = await buildPrograms()
  const networks = await start(
    [sandbox, '--port', '0', '--limit-factor', '100000', '--latency', '50-200', '--history', '--visitors', '150'],
    /Sandbox networks on (\S+)/,
  )
  await createDatabase(serverUrl, 'hour')
  const databaseUrl = databaseAt(serverUrl, 'hour')
  const heapFile = join(folder, 'heap.jsonl')
  const { found: url, child } = await start(
    ['--expose-gc', '--import', './bench/hour/heap-after-collection.mjs', 'bin/chorus.mjs', 'start'],
    /Base URL +(http:\/\/\S+)\/v2/,
    {
      environment: {
        BENCH_HEAP_FILE: heapFile,
        CHORUS_PORT: '0',
        CHORUS_DEMO: '1',
        CHORUS_DEMO_API_KEY: key,
        CHORUS_DATA_DIR: join(folder, 'hour'),
        CHORUS_DATABASE_URL: databaseUrl,
        CHORUS_RATE_LIMIT: 'second=1000000,five=5000000,day=1000000000',
        CHORUS_FEED_LIMITS: `session=${feedCount},account=${feedCount}`,
        CHORUS_SANDBOX: 'off',
        CHORUS_SANDBOX_PORT: new URL(networks.found).port,
      },
      log: join(folder, 'hour.log'),
    },
  )
  const admin = caller(url, account, key)
  const { json } = await admin('POST /campaign', { body: { name: 'Hour' } })
  const headers = ['', '-publisher', '-contributor', '-read'].map((ending) => ({
    authorization: `Basic ${Buffer.from(`${account}:${key}${ending}`).toString('base64')}`,
  }))
  const feeds = await openFeeds({ url, headers, count: feedCount })
  const memory = observeMemory({ pid: child.pid ?? 0, url, heapFile, collectEveryMs: blockMinutes * 60_000 })
  const load = startLoad(admin, json.Campaign.Id)
  for (let minute = 0; minute < minutes; ) {
    const next = Math.min(minutes, minute + lineMinutes)
    await sleep((next - minute) * 60_000)
    minute = next
    console.log(progress(minute, memory.samples, load.tally, await publishedIn(networks.found)))
  }
  await load.stop()
  await memory.stop()
  const published = await settled(networks.found, () => feeds.tally(load.tally.posts), load.tally.posts.length)
  const complete = await ownerQuery(databaseUrl, `select from posts where id = any($1) and status = 'complete'`, [
    load.tally.posts,
  ])
  feeds.stop()
  report(memory.samples)
  reportLosses(load.tally, { ...published, complete: complete.length })
  await end(child)
  await end(networks.child)
}

interface Published {
  /** Posts on the networks. */
  published: number
  different: number
}

async function publishedIn(networks: string): Promise<Published> {
  const response = await fetch(`${networks}/__sandbox/ledger?kind=post`, {
    headers: { authorization: 'Bearer sandbox' },
  })
  const { entries } = (await response.json()) as { entries: { text: string }[] }
  const numbers = entries.flatMap(({ text }) => new RegExp(`^${postPrefix} (\\d+)`).exec(text)?.[1] ?? [])
  return { published: numbers.length, different: new Set(numbers).size }
}

/** Waits until everything has arrived, or no more is to be expected. */
async function settled(networks: string, tally: () => FeedTally, posts: number): Promise<Published & FeedTally> {
  for (let second = 0; ; second++) {
    const result = { ...(await publishedIn(networks)), ...tally() }
    if ((result.different === posts && result.gaps === 0) || second === settleSeconds) return result
    await sleep(1_000)
  }
}

const mebibytes = (value: number | undefined) => `${value?.toFixed(1) ?? '-'} MiB`

function progress(
  minute: number,
  memory: MemorySamples,
  { calls, failed, posts }: LoadTally,
  { different }: Published,
) {
  const [resident, heap, collected] = [memory.resident, memory.heap, memory.heapAfterCollection].map((points) =>
    mebibytes(points.at(-1)?.value),
  )
  return (
    `minute ${String(minute).padStart(3)}  resident ${resident}  heap ${heap}, after collection ${collected}  ` +
    `${calls} calls, ${failed} failed  ${posts.length} posts, ${different} published${slopes(memory)}`
  )
}

/** So far, once there are enough points. */
function slopes(memory: MemorySamples): string {
  const [resident, heap] = [residentBlocks(memory), memory.heapAfterCollection.filter(isCounted)]
  if (heap.length < 4) return ''
  return `  slopes so far ${slope(trendOf(resident))}, of the heap ${slope(trendOf(heap))}`
}

function report(memory: MemorySamples) {
  for (const [name, points] of [
    ['Resident memory', residentBlocks(memory)],
    ['Heap after collection', memory.heapAfterCollection.filter(isCounted)],
  ] as const) {
    const trend = trendOf(points)
    console.log(
      `${name} after the first ${warmUpMinutes.toFixed(1)} minutes: ${slope(trend)} ` +
        `(${points.length} points, from ${mebibytes(points[0]?.value)} to ${mebibytes(points.at(-1)?.value)}): ` +
        (trend.isFlat ? 'flat within noise' : 'not flat'),
    )
  }
}

const isCounted = ({ at }: Point) => at > warmUpMinutes / 60
const residentBlocks = ({ resident }: MemorySamples) => blockMeans(resident.filter(isCounted), blockMinutes / 60)
const slope = ({ slope, error }: Trend) => `${slope.toFixed(2)} ± ${error.toFixed(2)} MiB an hour`

function reportLosses(
  { calls, failed, failures, posts }: LoadTally,
  { published, different, complete, gaps, resets, summaries, closed }: Published & FeedTally & { complete: number },
) {
  console.log(
    `${calls} calls, ${failed} failed; ${posts.length} posts, ${different} published, ${published - different} of them twice, ` +
      `${complete} complete; ${feedCount} feeds: ${gaps} gaps, ${resets} resets, ${summaries} summaries, ${closed} closed`,
  )
  for (const failure of failures) console.log(`  ${failure}`)
}
