import { setTimeout as sleep } from 'node:timers/promises'
import { makeCampaigns, type PlannedPost, schedulePosts } from './posts.ts'
import { connectProfiles, kinds } from './profiles.ts'
import type { Stage } from './stage.ts'

/** Posts that are in the middle of something. */
interface Trouble {
  posts: readonly PlannedPost[]
  /** Waits until each of them is. */
  underWay(): Promise<void>
}

/** One that a busy network put off, one whose picture is being worked on, one whose answer got lost. */
export async function openTrouble(stage: Stage): Promise<Trouble> {
  const [campaignId = ''] = await makeCampaigns(stage, 1)
  const profiles = await connectProfiles(stage, [kinds.facebook, kinds.instagram, kinds.facebook])
  const [busy, , lost] = profiles
  const publish = { network: 'Facebook', operation: 'publish' }
  await stage.control('/fault', { ...publish, profile: busy?.remoteId, fault: 'rate-limit' })
  await stage.control('/fault', { ...publish, profile: lost?.remoteId, fault: 'lost-answer' })
  await stage.control('/processing', { network: 'Instagram', delayMs: 600_000 })
  const planned = new Date()
  const posts = await schedulePosts(
    stage,
    profiles.map((profile) => ({ campaignId, profiles: [profile], planned })),
  )
  return {
    posts,
    async underWay() {
      for (let waited = 0; waited < 120_000; waited += 50) {
        const rows = await stage.query<{ state: string; attempts: number }>(
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
