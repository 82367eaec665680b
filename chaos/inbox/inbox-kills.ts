import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../tests/support/external-servers.ts'
import { randomness } from '../../tests/support/randomness.ts'
import { retryUntilAvailable } from '../databases.ts'
import { openHarness, type RunOptions } from '../publishing/harness.ts'
import { connectProfiles, profileKinds } from '../publishing/posts.ts'
import { percentiles } from '../publishing/verdicts.ts'
import { deliver, shuffled, simulateActivities } from './activities.ts'
import { controlInbox, differences, expectedOf, type Found, readInbox, settled } from './model.ts'

interface InboxKillOptions extends RunOptions {
  activities: number
  profiles: number
  kills: number
  /** Negative control: the result of a naive inbox for the same activities. */
  naive?: true
  /** Also receives the result of the control, for small runs. */
  onControlResult?: (damage: Differences) => void
}

type Differences = ReturnType<typeof differences>

export interface InboxKillReport extends Differences {
  seed: number
  activities: number
  /** Number of pushes including duplicates, and of activities found only by polling. */
  told: number
  silent: number
  items: number
  entries: number
  kills: number
  seconds: number
}

/** Activities are pushed in any order and more than once while workers are killed; then compares the inbox with a model. */
export async function inboxKills(options: InboxKillOptions): Promise<InboxKillReport> {
  const { activities, profiles: count, kills, naive, onControlResult, seed, log = () => {}, ...rest } = options
  const started = performance.now()
  const random = randomness(seed)
  const harness = await openHarness({ ...rest, latency: [0, 20], environment: { CHORUS_POLL_SECONDS: '3' } })
  try {
    const profiles = await connectProfiles(
      harness,
      Array.from({ length: count }, () => profileKinds.facebook),
    )
    const ids = profiles.map(({ id }) => id)
    const simulated = await simulateActivities(harness, profiles, activities, random)
    const expected = expectedOf(simulated)
    const entries = [...expected.timelines.values()].reduce((sum, { size }) => sum + size, 0)
    const pushes = shuffled(simulated, random)
    const silent = simulated.filter((one) => one.silent).length
    log(`${simulated.length} activities, ${pushes.length} pushes, ${silent} found by asking alone`)
    onControlResult?.(differences(expected, controlInbox(pushes, kills)))
    const result = async (): Promise<Found> => {
      if (naive) return controlInbox(pushes, kills)
      const worker = startWorkerWithKills()
      try {
        await deliver(harness.url, pushes)
        await worker.killed
        await settled(harness, entries, log)
        return await readInbox(harness, ids)
      } finally {
        await worker.stop()
      }
    }
    /** One worker at a time, killed at a random time. */
    const startWorkerWithKills = () => {
      let current = retryUntilAvailable(harness.startWorkerProcess)
      const killing = async () => {
        for (let number = 1; number <= kills; number++) {
          const worker = await current
          await sleep(200 + random() * 1_500)
          worker.child.kill('SIGKILL')
          await worker.ended
          log(`killed ${number}`)
          current = retryUntilAvailable(harness.startWorkerProcess)
        }
      }
      return {
        killed: killing(),
        async stop() {
          const worker = await current
          worker.child.kill('SIGKILL')
          await worker.ended
        },
      }
    }
    return {
      seed,
      activities: simulated.length,
      told: pushes.length,
      silent,
      items: expected.timelines.size,
      entries,
      kills,
      ...differences(expected, await result()),
      seconds: Math.round((performance.now() - started) / 1000),
    }
  } finally {
    await harness.stop()
  }
}

/** Violations in a report. */
export const brokenByInboxKills = (report: InboxKillReport): string[] => {
  const { lostItems, surplusItems, wrongTimelines, wrongEvents, wrongUnread, wrongTotals, wrongCounters } = report
  const counts = { lostItems, surplusItems, wrongTimelines, wrongEvents, wrongUnread, wrongTotals, wrongCounters }
  return Object.entries(counts).flatMap(([name, number]) => (number === 0 ? [] : [`${name}: ${number}`]))
}

interface TimesOptions extends Pick<RunOptions, 'programs' | 'databases' | 'inside' | 'log'> {
  pushed: number
  silent: number
  pollSeconds: number
}

/** Time from a comment on a network to the webhook request, with pushes and with polling. */
export async function arrivalTimes({ pushed, silent, pollSeconds, log = () => {}, ...rest }: TimesOptions) {
  const environment = { CHORUS_POLL_SECONDS: String(pollSeconds), CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' }
  const harness = await openHarness({ ...rest, latency: [10, 50], environment })
  const receivedAt = new Map<string, number>()
  const receiver = await startReceiver((response, { body }) => {
    const text = JSON.parse(body).data[0]?.Data?.CommentContent?.Text
    if (!receivedAt.has(text)) receivedAt.set(text, performance.now())
    response.end()
  })
  try {
    await harness.admin('POST /webhook', { body: { name: 'Times', url: receiver.url, event: 'newInboxItem' } })
    const [profile] = await connectProfiles(harness, [profileKinds.facebook])
    const inject = (activity: object) =>
      harness.control('/inject', { network: 'Facebook', profile: profile?.remoteId, ...activity }) as Promise<{
        remoteId: string
      }>
    const { remoteId: postRemoteId } = await inject({ kind: 'post', own: true, text: 'A post' })
    const worker = await retryUntilAvailable(() => harness.startWorker())
    const isSubscribed = async () =>
      (await harness.query('select from inbox_profiles where credential_id = $1 and push_renew is null', [profile?.id]))
        .length > 0
    while (!(await isSubscribed())) await sleep(100)
    const timeOf = async (text: string, push: boolean) => {
      const started = performance.now()
      await inject({ kind: 'comment', postRemoteId, text, push })
      while (!receivedAt.has(text)) await sleep(5)
      return Math.round((receivedAt.get(text) as number) - started)
    }
    const times = { pushed: [] as number[], silent: [] as number[] }
    for (let number = 0; number < pushed; number++) times.pushed.push(await timeOf(`Pushed ${number}`, true))
    log(`${pushed} were pushed`)
    for (let number = 0; number < silent; number++) times.silent.push(await timeOf(`Silent ${number}`, false))
    await worker.stop()
    return { pollSeconds, pushed: percentiles(times.pushed), silent: percentiles(times.silent) }
  } finally {
    await receiver.stop()
    await harness.stop()
  }
}
