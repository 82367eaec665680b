import { setTimeout as sleep } from 'node:timers/promises'
import { randomness } from '../../tests/support/randomness.ts'
import { type Change, changeBehind, changeCampaign, changes } from './campaign-change.ts'
import { type Verdict, verdicts } from './judge.ts'
import { makeCampaigns, type NewPost, type PlannedPost, schedulePosts } from './posts.ts'
import { type ConnectedProfile, connectProfiles, kinds } from './profiles.ts'
import type { RunOptions } from './run-options.ts'
import { openStage, type Stage } from './stage.ts'
import { settled } from './waiting.ts'

interface StopOptions extends RunOptions {
  campaigns: number
  /** The control: campaigns are changed in the database, and nobody waits for anything. */
  behind?: true
}

export interface StopReport {
  campaigns: number
  seed: number
  posts: number
  /** Posts the networks had when all changes were answered; those under way or done before the change. */
  sentBefore: number
  /** Changes answered with something else than success, or than a refusal that one may repeat. */
  refused: string[]
  /** Deletions that had to be asked for again because posts were on their way. */
  repeated: number
  /** Posts a network got after the change of their campaign had been answered. */
  after: number
  /** Posts of archived and deleted campaigns that are still scheduled, or of paused ones that are gone. */
  misplaced: number
  /** Posts of paused campaigns that the networks do not have exactly once after these went on. */
  notOnce: number
  slowestAnswer: number
  seconds: number
}

/** Posts of each campaign, on three profiles. */
const postsEach = 3
/** Long enough that the control comes in time, however busy the machine is. */
const slow = 3_000

/** Pauses, archives and deletes campaigns in the very second their posts fall due. */
export async function publishStops(options: StopOptions): Promise<StopReport> {
  const { campaigns: count, behind, seed, say = () => {}, scene, ...rest } = options
  const started = performance.now()
  const chance = randomness(seed)
  const environment = { CHORUS_PUBLISH_LOOKS: '2s,4s,8s', CHORUS_DATABASE_CONNECTIONS: '20' }
  const stage = scene?.stage ?? (await openStage({ ...rest, environment, ...(behind && { latency: [slow, slow] }) }))
  const workers = scene ? [] : await Promise.all([stage.startWorker(), stage.startWorker()])
  try {
    const begunMaking = performance.now()
    const campaigns = await makeCampaigns(stage, count)
    const profiles = await connect(stage, count)
    if (scene && behind) await slowDown(stage, profiles)
    // All posts must be there before they fall due, however slow the machine is.
    const due = new Date(Date.now() + 1_500 + Math.max(count * 10, 2 * (performance.now() - begunMaking)))
    const posts = await schedulePosts(stage, postsOf(campaigns, profiles, due))
    const begun = firstSend(stage, due)
    const answers = await Promise.all(
      campaigns.map(async (id, index) => {
        const [early, within] = [chance() < 0.3, chance()]
        if (behind) return begun.then(() => changeBehind(stage, id, changeOf(index)))
        if (early) await sleep(due.getTime() - 300 + within * 600 - Date.now())
        else await begun.then(() => sleep(within * 1_000))
        return changeCampaign(stage, id, changeOf(index))
      }),
    )
    // Whatever is on its way now arrives too late.
    await sleep(behind ? 4_000 : 2_000)
    const found = await verdicts(stage, posts)
    const indexOf = new Map(campaigns.map((id, index) => [id, index]))
    const about = ({ post }: Verdict) => indexOf.get(post.campaignId) ?? 0
    const isAfter = (one: Verdict) =>
      one.entries.some(({ at }) => Date.parse(at) > (answers[about(one)]?.answered ?? 0))
    return {
      campaigns: count,
      seed,
      posts: posts.length,
      sentBefore: found.filter(({ entries }) => entries.length > 0).length,
      refused: answers.flatMap(({ refusal }) => refusal ?? []),
      repeated: answers.reduce((sum, { tries }) => sum + tries - 1, 0),
      after: found.filter(isAfter).length,
      misplaced: found.filter((one) => isMisplaced(one, changeOf(about(one)))).length,
      notOnce: behind ? 0 : await resume(stage, campaigns, posts, say),
      slowestAnswer: Math.round(Math.max(...answers.map(({ took }) => took))),
      seconds: Math.round((performance.now() - started) / 1000),
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    if (!scene) await stage.stop()
  }
}

const changeOf = (index: number) => changes[index % changes.length] as Change

/** Waits until posts are on their way. */
async function firstSend(stage: Stage, due: Date) {
  await sleep(due.getTime() - Date.now())
  const underWay = `select from sends where state = 'sending' limit 1`
  for (let waited = 0; waited < 120_000; waited += 20) {
    if ((await stage.query(underWay)).length > 0) return
    await sleep(20)
  }
}

/** As many profiles as campaigns. */
function connect(stage: Stage, count: number): Promise<ConnectedProfile[]> {
  const networks = [kinds.x, kinds.facebook, kinds.linkedInPage]
  const wanted = Array.from({ length: count }, (_, index) => networks[index % networks.length] ?? kinds.x)
  return connectProfiles(stage, wanted)
}

/** Networks that others use as well are slow for these alone. */
async function slowDown(stage: Stage, profiles: readonly ConnectedProfile[]) {
  for (const { network, remoteId: profile } of profiles) {
    const fault = { fault: 'delay', delayMs: slow, count: postsEach }
    await stage.control('/fault', { network, profile, operation: 'publish', ...fault })
  }
}

/** Each campaign's posts go to three of the profiles. */
const postsOf = (campaigns: readonly string[], profiles: readonly ConnectedProfile[], planned: Date): NewPost[] =>
  campaigns.flatMap((campaignId, index) =>
    Array.from({ length: postsEach }, (_, step) => {
      const profile = profiles[(index + step * 7) % profiles.length]
      return { campaignId, planned, profiles: profile ? [profile] : [] }
    }),
  )

/** A paused campaign keeps what was not sent; the others have nothing left but what was. */
function isMisplaced({ send }: Verdict, change: Change): boolean {
  if (change === 'paused') return send === undefined
  return send !== undefined && send.state !== 'sent'
}

/** Lets the paused campaigns go on; gives how many of their posts the networks do not have exactly once then. */
async function resume(
  stage: Stage,
  campaigns: readonly string[],
  posts: readonly PlannedPost[],
  say: (line: string) => void,
) {
  const paused = campaigns.filter((_, index) => changeOf(index) === 'paused')
  for (const id of paused) await stage.admin(`POST /campaign/${id}`, { body: { status: 'active' } })
  await settled(stage, say)
  const found = await verdicts(
    stage,
    posts.filter(({ campaignId }) => paused.includes(campaignId)),
  )
  return found.filter(({ entries, send }) => entries.length !== 1 || send?.state !== 'sent').length
}
