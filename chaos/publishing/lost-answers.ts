import { resendBlindly } from './blind.ts'
import { agrees, type Verdict, verdicts } from './judge.ts'
import { makeCampaigns, schedulePosts } from './posts.ts'
import { connectProfiles, kinds } from './profiles.ts'
import type { RunOptions } from './run-options.ts'
import { openStage } from './stage.ts'
import { settled } from './waiting.ts'

type KindName = keyof typeof kinds

/** What happens to the call that makes a post visible. */
const faults = {
  'lost answer': { fault: 'lost-answer' },
  '504 after the effect': { fault: 'answer', afterEffect: true, answer: { status: 504, body: 'Gateway timeout' } },
  'server error': { fault: 'server-error' },
  'answer after 222 s': { fault: 'delay', delayMs: 222_000 },
}
export type FaultName = keyof typeof faults

interface LostOptions extends RunOptions {
  networks: readonly KindName[]
  faults: readonly FaultName[]
  /** Posts for each fault on each network, each on a profile of its own. */
  each: number
  /** Every network has one of the faults, in turn, instead of each. */
  dealt?: boolean
  looks: string
  /** The control: what got no answer is sent again. */
  blind?: true
}

export interface LostReport {
  posts: number
  seed: number
  /** The network has it once, and the database says so. */
  sent: number
  doubled: number
  /** On LinkedIn members' profiles, where nobody can look: said to be unconfirmed, with what to check. */
  unconfirmed: number
  /** Anything else, such as `x, lost answer: failed (…)`. */
  wrong: string[]
  seconds: number
}

/** Loses the answers of networks in every way, after and before the effect; every post is to be there once. */
export async function publishLostAnswers(options: LostOptions): Promise<LostReport> {
  const { networks, each, dealt, looks, blind, seed, say = () => {}, scene, ...rest } = options
  const begun = performance.now()
  const stage = scene?.stage ?? (await openStage({ ...rest, environment: { CHORUS_PUBLISH_LOOKS: looks } }))
  const cases = networks.flatMap((network, turn) =>
    options.faults
      .filter((_, index) => !dealt || index === turn % options.faults.length)
      .flatMap((fault) => Array.from({ length: each }, () => ({ network, fault }))),
  )
  const worker = scene ? undefined : await stage.startWorker()
  const control = blind && resendBlindly(stage)
  try {
    const [campaignId = ''] = await makeCampaigns(stage, 1)
    const profiles = await connectProfiles(
      stage,
      cases.map(({ network }) => kinds[network]),
    )
    for (const [index, { fault }] of cases.entries()) {
      const { network, remoteId: profile } = profiles[index] ?? {}
      await stage.control('/fault', { network, profile, operation: 'publish', ...faults[fault] })
    }
    const posts = await schedulePosts(
      stage,
      // Another follows, so that what is sent twice is not the same words twice in a row.
      profiles.flatMap((profile) =>
        [0, 2].map((after) => ({ campaignId, profiles: [profile], planned: inSeconds(after) })),
      ),
    )
    const firsts = posts.filter((_, index) => index % 2 === 0)
    await settled(stage, say, 4 * 400)
    const found = await verdicts(stage, firsts)
    return { seed, ...judge(found, cases), seconds: Math.round((performance.now() - begun) / 1000) }
  } finally {
    await control?.stop()
    await worker?.stop()
    if (!scene) await stage.stop()
  }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000)

function judge(found: readonly Verdict[], cases: readonly { network: KindName; fault: FaultName }[]) {
  const counts = { posts: found.length, sent: 0, doubled: 0, unconfirmed: 0 }
  const wrong: string[] = []
  for (const [index, one] of found.entries()) {
    const { network, fault } = cases[index] as (typeof cases)[number]
    const { entries, send } = one
    if (entries.length > 1) counts.doubled += 1
    if (agrees(one)) counts.sent += 1
    else if (network === 'linkedInMember' && isUnconfirmed(one)) counts.unconfirmed += 1
    else wrong.push(`${network}, ${fault}: ${send?.state}, ${entries.length} at the network (${send?.error ?? ''})`)
  }
  return { ...counts, wrong }
}

/** Nobody can know, and a person is told what to look at. */
const isUnconfirmed = ({ entries, send }: Verdict) =>
  entries.length <= 1 && send?.state === 'unconfirmed' && send.log === 'failed' && /Check the profile/.test(send.error)
