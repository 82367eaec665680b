import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabases } from '../chaos/databases.ts'
import { buildPrograms, killChildren } from '../chaos/processes.ts'
import { type Harness, openHarness } from '../chaos/publishing/harness.ts'
import { connectProfiles, createCampaigns, profileKinds, schedulePosts } from '../chaos/publishing/posts.ts'

const posts = Number(process.env.BENCH_HERD ?? 5_000)
const profiles = posts / 10
/** Enough requests for a meaningful p99. */
const rounds = 3
const perSecond = 50
const [latenessGoal, slownessGoal] = [11_000, 2]

/** Thousands of posts due in the same second, on networks with 50 to 200 ms latency, while the API is used. */
export async function herdBenchmark() {
  const programs = await buildPrograms()
  const databases = await openDatabases()
  const harness = await openHarness({ programs, databases, environment: {}, latency: [50, 200] })
  try {
    const mix = [profileKinds.x, profileKinds.facebook, profileKinds.linkedInPage, profileKinds.x]
    const connected = await connectProfiles(
      harness,
      Array.from({ length: profiles }, (_, index) => mix[index % mix.length] ?? profileKinds.x),
    )
    const campaigns = await createCampaigns(harness, 50)
    const worker = await harness.startWorker()
    await useApi(harness, 5)
    const idle: number[] = []
    const busy: number[] = []
    const lateness: number[] = []
    for (let round = 1; round <= rounds; round++) {
      idle.push(...(await useApi(harness, 15)))
      const planned = new Date(Math.ceil(harness.installation.clock.now().getTime() / 1000) * 1000 + 20_000)
      await schedulePosts(
        harness,
        Array.from({ length: posts }, (_, index) => ({
          campaignId: campaigns[index % campaigns.length] ?? '',
          profiles: connected.slice(index % profiles, (index % profiles) + 1),
          planned,
        })),
      )
      await sleep(planned.getTime() - harness.installation.clock.now().getTime())
      busy.push(...(await useApi(harness, 120, () => isOver(harness))))
      const since = (await harness.ledger()).map(({ at }) => new Date(at).getTime() - planned.getTime())
      lateness.push(...since.filter((late) => late >= 0))
    }
    const texts = new Set((await harness.ledger()).map(({ text }) => text)).size
    console.log(
      `${rounds} times ${posts} posts due in one second on ${profiles} profiles: published ${lateness.length}, of them different ${texts}; ` +
        `lateness p50 ${seconds(part(lateness, 0.5))}, p99 ${seconds(part(lateness, 0.99))}, last ${seconds(part(lateness, 1))} (goal p99 ${seconds(latenessGoal)})`,
    )
    const [before, during] = [part(idle, 0.99), part(busy, 0.99)]
    console.log(
      `The API meanwhile, ${perSecond} calls per second: p50 ${milliseconds(part(busy, 0.5))} (idle ${milliseconds(part(idle, 0.5))}), ` +
        `p99 ${milliseconds(during)} (idle ${milliseconds(before)}): ${(during / before).toFixed(2)} × idle (goal ${slownessGoal}), ${busy.length} calls`,
    )
    await worker.stop()
  } finally {
    await harness.stop()
    await databases.stop()
    killChildren()
  }
}

const calls = ['GET /me', 'GET /campaign', 'GET /post', 'GET /message/005demo00000001', 'GET /credential', 'POST /tag']
let numbered = 0

/** Sends requests at a fixed rate for some seconds or until a promise resolves; returns their latencies. */
async function useApi({ admin }: Harness, seconds: number, hasEnded?: () => Promise<boolean>): Promise<number[]> {
  const times: number[] = []
  const open: Promise<void>[] = []
  const begin = performance.now()
  let over = false
  for (let number = 0; number < seconds * perSecond && !over; number++) {
    await sleep(Math.max(0, begin + (number * 1000) / perSecond - performance.now()))
    const route = calls[number % calls.length] ?? 'GET /me'
    const sent = performance.now()
    const call = admin(route, route.startsWith('POST') ? { body: { tag: `Herd ${numbered++}` } } : {}).then(
      ({ status }) => {
        if (status !== 200) throw new Error(`${route} answered ${status}`)
        times.push(performance.now() - sent)
      },
    )
    open.push(call)
    if (hasEnded && number % perSecond === 0) void hasEnded().then((isEnded) => (over ||= isEnded))
  }
  await Promise.all(open)
  return times
}

/** Cheap, so that the measurement does not affect the result. */
async function isOver({ query }: Harness): Promise<boolean> {
  const rows = await query<{ open: boolean }>(
    'select exists (select from profile_partitions where due <= now()) as open',
  )
  return rows[0]?.open === false
}

function part(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`
const milliseconds = (value: number) => `${value.toFixed(1)} ms`
