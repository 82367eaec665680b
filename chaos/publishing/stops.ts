import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { type Harness, openHarness, type RunOptions } from './harness.ts'
import {
  type ConnectedProfile,
  connectProfiles,
  createCampaigns,
  type NewPost,
  type PlannedPost,
  profileKinds,
  schedulePosts,
} from './posts.ts'
import { settled, type Verdict, verdicts } from './verdicts.ts'

interface StopOptions extends RunOptions {
  campaigns: number
  /** Negative control: changes campaigns directly in the database. */
  bypassApi?: true
}

export interface StopReport {
  campaigns: number
  seed: number
  posts: number
  /** Posts on the networks when all changes were confirmed. */
  sentBefore: number
  /** Changes with an unexpected response. */
  refused: string[]
  /** Deletions that were retried because posts were being sent. */
  repeated: number
  /** Posts published after the change of their campaign was confirmed. */
  after: number
  /** Posts of archived and deleted campaigns that are still scheduled, or of paused campaigns that are missing. */
  misplaced: number
  /** Posts of paused campaigns that were not published exactly once after resuming. */
  notOnce: number
  slowestAnswer: number
  seconds: number
}

/** Posts per campaign, on three profiles. */
const postsEach = 3
/** Long enough for the control, even on a busy machine. */
const slow = 3_000

/** Pauses, archives and deletes campaigns in the second their posts are due. */
export async function publishStops(options: StopOptions): Promise<StopReport> {
  const { campaigns: count, bypassApi, seed, log = () => {}, workerHarness, ...rest } = options
  const started = performance.now()
  const random = randomness(seed)
  const environment = { CHORUS_PUBLISH_CONFIRM_AFTER: '2s,4s,8s', CHORUS_DATABASE_CONNECTIONS: '20' }
  const harness =
    workerHarness?.harness ?? (await openHarness({ ...rest, environment, ...(bypassApi && { latency: [slow, slow] }) }))
  const workers = workerHarness ? [] : await Promise.all([harness.startWorker(), harness.startWorker()])
  try {
    const setupStarted = performance.now()
    const campaigns = await createCampaigns(harness, count)
    const profiles = await connect(harness, count)
    if (workerHarness && bypassApi) await slowDown(harness, profiles)
    // All posts must be scheduled before they are due, even on a slow machine.
    const due = new Date(Date.now() + 1_500 + Math.max(count * 10, 2 * (performance.now() - setupStarted)))
    const posts = await schedulePosts(harness, postsOf(campaigns, profiles, due))
    const firstSendStarted = firstSend(harness, due)
    const responses = await Promise.all(
      campaigns.map(async (id, index) => {
        const [beforeDue, within] = [random() < 0.3, random()]
        if (bypassApi) return firstSendStarted.then(() => changeInDatabase(harness, id, changeOf(index)))
        if (beforeDue) await sleep(due.getTime() - 300 + within * 600 - Date.now())
        else await firstSendStarted.then(() => sleep(within * 1_000))
        return changeCampaign(harness, id, changeOf(index))
      }),
    )
    // Posts being sent now count as late.
    await sleep(bypassApi ? 4_000 : 2_000)
    const found = await verdicts(harness, posts)
    const indexOf = new Map(campaigns.map((id, index) => [id, index]))
    const about = ({ post }: Verdict) => indexOf.get(post.campaignId) ?? 0
    const isAfter = (one: Verdict) =>
      one.entries.some(({ at }) => Date.parse(at) > (responses[about(one)]?.answered ?? 0))
    return {
      campaigns: count,
      seed,
      posts: posts.length,
      sentBefore: found.filter(({ entries }) => entries.length > 0).length,
      refused: responses.flatMap(({ error }) => error ?? []),
      repeated: responses.reduce((sum, { attempts }) => sum + attempts - 1, 0),
      after: found.filter(isAfter).length,
      misplaced: found.filter((one) => isMisplaced(one, changeOf(about(one)))).length,
      notOnce: bypassApi ? 0 : await resume(harness, campaigns, posts, log),
      slowestAnswer: Math.round(Math.max(...responses.map(({ durationMs }) => durationMs))),
      seconds: Math.round((performance.now() - started) / 1000),
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    if (!workerHarness) await harness.stop()
  }
}

const changeOf = (index: number) => changes[index % changes.length] as Change

/** Waits until posts are being sent. */
async function firstSend(harness: Harness, due: Date) {
  await sleep(due.getTime() - Date.now())
  const underWay = `select from sends where state = 'sending' limit 1`
  for (let elapsed = 0; elapsed < 120_000; elapsed += 20) {
    if ((await harness.query(underWay)).length > 0) return
    await sleep(20)
  }
}

/** One profile per campaign. */
function connect(harness: Harness, count: number): Promise<ConnectedProfile[]> {
  const networks = [profileKinds.x, profileKinds.facebook, profileKinds.linkedInPage]
  const wanted = Array.from({ length: count }, (_, index) => networks[index % networks.length] ?? profileKinds.x)
  return connectProfiles(harness, wanted)
}

/** Slows down shared networks for these profiles only. */
async function slowDown(harness: Harness, profiles: readonly ConnectedProfile[]) {
  for (const { network, remoteId: profile } of profiles) {
    const fault = { fault: 'delay', delayMs: slow, count: postsEach }
    await harness.control('/fault', { network, profile, operation: 'publish', ...fault })
  }
}

/** The posts of a campaign go to three profiles. */
const postsOf = (campaigns: readonly string[], profiles: readonly ConnectedProfile[], planned: Date): NewPost[] =>
  campaigns.flatMap((campaignId, index) =>
    Array.from({ length: postsEach }, (_, step) => {
      const profile = profiles[(index + step * 7) % profiles.length]
      return { campaignId, planned, profiles: profile ? [profile] : [] }
    }),
  )

/** A paused campaign keeps unsent posts; the others keep only sent ones. */
function isMisplaced({ send }: Verdict, change: Change): boolean {
  if (change === 'paused') return send === undefined
  return send !== undefined && send.state !== 'sent'
}

/** Resumes the paused campaigns; returns the number of posts that were not published exactly once. */
async function resume(
  harness: Harness,
  campaigns: readonly string[],
  posts: readonly PlannedPost[],
  log: (line: string) => void,
) {
  const paused = campaigns.filter((_, index) => changeOf(index) === 'paused')
  for (const id of paused) await harness.admin(`POST /campaign/${id}`, { body: { status: 'active' } })
  await settled(harness, log)
  const found = await verdicts(
    harness,
    posts.filter(({ campaignId }) => paused.includes(campaignId)),
  )
  return found.filter(({ entries, send }) => entries.length !== 1 || send?.state !== 'sent').length
}

const changes = ['paused', 'archived', 'deleted'] as const
export type Change = (typeof changes)[number]

export interface ChangeAnswer {
  /** Time of the response. */
  answered: number
  /** Duration of the successful request in milliseconds. */
  durationMs: number
  attempts: number
  error?: string
}

const maxAttempts = 60

/** Changes a campaign through the API; retries deletions that are rejected while posts are being sent. */
async function changeCampaign({ admin }: Harness, id: string, change: Change): Promise<ChangeAnswer> {
  for (let attempts = 1; ; attempts++) {
    const started = performance.now()
    const { status, text } =
      change === 'deleted'
        ? await admin(`DELETE /campaign/${id}`)
        : await admin(`POST /campaign/${id}`, { body: { status: change } })
    const response = { answered: Date.now(), durationMs: performance.now() - started, attempts }
    if (status === 200) return response
    const isRetryable = change === 'deleted' && status === 409 && attempts < maxAttempts
    if (!isRetryable) return { ...response, answered: Number.POSITIVE_INFINITY, error: `${change}: ${status} ${text}` }
    await sleep(100)
  }
}

/** Negative control: changes the campaign directly in the database. */
async function changeInDatabase(harness: Harness, id: string, change: Change): Promise<ChangeAnswer> {
  const started = performance.now()
  const set = change === 'deleted' ? 'deleted = now()' : `status = '${change}'`
  await harness.query(`update campaigns set ${set} where id = $1`, [id])
  return { answered: Date.now(), durationMs: performance.now() - started, attempts: 1 }
}
