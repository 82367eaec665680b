import { patiently } from '../patience.ts'
import { makeCampaigns, type NewPost, type PlannedPost, schedulePosts } from './posts.ts'
import { connectProfiles, kinds } from './profiles.ts'
import type { Stage } from './stage.ts'

type KindName = keyof typeof kinds

/** Posts that fall due while a run goes on. */
export interface Source {
  readonly posts: readonly PlannedPost[]
  /** How many of those that were wanted are to come. */
  left(): number
  /** Schedules that many more, for the coming second. */
  release(count: number): Promise<void>
}

interface SourceOptions {
  posts: number
  networks: readonly KindName[]
  /** Every so manieth post goes to Instagram, which takes several steps for each. */
  instagramEvery?: number
  chance: () => number
}

/** Ten posts for each profile; every tenth post goes to three profiles. */
export async function openSource(
  stage: Stage,
  { posts: total, networks, instagramEvery = 40, chance }: SourceOptions,
): Promise<Source> {
  const campaigns = await makeCampaigns(stage, 20)
  const count = Math.max(4 * networks.length, Math.round(total / 10))
  const wanted = Array.from({ length: count }, (_, index) => networks[index % networks.length] as KindName)
  const instagram: KindName[] = Array.from({ length: Math.ceil(count / 20) }, () => 'instagram')
  const names = [...wanted, ...instagram]
  const profiles = await connectProfiles(
    stage,
    names.map((name) => kinds[name]),
  )
  const of = (name: KindName) => profiles.filter((_, index) => names[index] === name)
  const groups = new Map(names.map((name) => [name, of(name)]))
  const posts: PlannedPost[] = []

  const next = (number: number): NewPost => {
    const isInstagram = number % instagramEvery === instagramEvery - 1
    const group = groups.get(isInstagram ? 'instagram' : (networks[number % networks.length] as KindName)) ?? []
    const first = Math.floor(chance() * group.length)
    const targets = number % 10 === 0 ? Math.min(3, group.length) : 1
    return {
      campaignId: campaigns[number % campaigns.length] as string,
      profiles: Array.from({ length: targets }, (_, index) => group[(first + index) % group.length]).filter(
        (one) => one !== undefined,
      ),
      planned: new Date(Date.now() + chance() * 1_000),
    }
  }
  let number = 0
  return {
    posts,
    left: () => Math.max(0, total - number),
    async release(wish) {
      const wanted = Array.from({ length: Math.round(wish) }, () => next(number++))
      if (wanted.length === 0) return
      // What was not answered may be there all the same, and is not asked for in the end.
      posts.push(...(await patiently(() => schedulePosts(stage, wanted))))
    },
  }
}
