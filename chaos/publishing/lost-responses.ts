import { openHarness, type RunOptions } from './harness.ts'
import { connectProfiles, createCampaigns, profileKinds, schedulePosts } from './posts.ts'
import { isConsistent, resendUnconfirmed, settled, type Verdict, verdicts } from './verdicts.ts'

type KindName = keyof typeof profileKinds

/** Faults of the publish request. */
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
  /** Posts per fault and network, each on its own profile. */
  each: number
  /** Assigns one fault to each network instead of all. */
  oneFaultPerNetwork?: boolean
  confirmAfter: string
  /** Negative control: resends unconfirmed items without searching for them. */
  blind?: true
}

export interface LostReport {
  posts: number
  seed: number
  /** Posts that are on the network exactly once and stored as sent. */
  sent: number
  doubled: number
  /** On LinkedIn member profiles, which cannot be searched: reported as unconfirmed with instructions. */
  unconfirmed: number
  /** Other outcomes, such as `x, lost answer: failed (…)`. */
  wrong: string[]
  seconds: number
}

/** Loses responses of networks before and after the effect; every post must exist exactly once. */
export async function publishLostResponses(options: LostOptions): Promise<LostReport> {
  const {
    networks,
    each,
    oneFaultPerNetwork,
    confirmAfter,
    blind,
    seed,
    log = () => {},
    workerHarness,
    ...rest
  } = options
  const started = performance.now()
  const harness =
    workerHarness?.harness ??
    (await openHarness({ ...rest, environment: { CHORUS_PUBLISH_CONFIRM_AFTER: confirmAfter } }))
  const cases = networks.flatMap((network, turn) =>
    options.faults
      .filter((_, index) => !oneFaultPerNetwork || index === turn % options.faults.length)
      .flatMap((fault) => Array.from({ length: each }, () => ({ network, fault }))),
  )
  const worker = workerHarness ? undefined : await harness.startWorker()
  const control = blind && resendUnconfirmed(harness)
  try {
    const [campaignId = ''] = await createCampaigns(harness, 1)
    const profiles = await connectProfiles(
      harness,
      cases.map(({ network }) => profileKinds[network]),
    )
    for (const [index, { fault }] of cases.entries()) {
      const { network, remoteId: profile } = profiles[index] ?? {}
      await harness.control('/fault', { network, profile, operation: 'publish', ...faults[fault] })
    }
    const posts = await schedulePosts(
      harness,
      // A second post follows, so that a double send is not a consecutive duplicate.
      profiles.flatMap((profile) =>
        [0, 2].map((after) => ({ campaignId, profiles: [profile], planned: inSeconds(after) })),
      ),
    )
    const firstPosts = posts.filter((_, index) => index % 2 === 0)
    await settled(harness, log, 4 * 400)
    const found = await verdicts(harness, firstPosts)
    return { seed, ...verify(found, cases), seconds: Math.round((performance.now() - started) / 1000) }
  } finally {
    await control?.stop()
    await worker?.stop()
    if (!workerHarness) await harness.stop()
  }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000)

function verify(found: readonly Verdict[], cases: readonly { network: KindName; fault: FaultName }[]) {
  const counts = { posts: found.length, sent: 0, doubled: 0, unconfirmed: 0 }
  const unexpected: string[] = []
  for (const [index, one] of found.entries()) {
    const { network, fault } = cases[index] as (typeof cases)[number]
    const { entries, send } = one
    if (entries.length > 1) counts.doubled += 1
    if (isConsistent(one)) counts.sent += 1
    else if (network === 'linkedInMember' && isUnconfirmed(one)) counts.unconfirmed += 1
    else
      unexpected.push(`${network}, ${fault}: ${send?.state}, ${entries.length} at the network (${send?.error ?? ''})`)
  }
  return { ...counts, wrong: unexpected }
}

/** The outcome is unknown, and the error tells the user what to check. */
const isUnconfirmed = ({ entries, send }: Verdict) =>
  entries.length <= 1 && send?.state === 'unconfirmed' && send.log === 'failed' && /Check the profile/.test(send.error)
