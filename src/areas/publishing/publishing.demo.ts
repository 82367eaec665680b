import { seedApproval } from '#areas/approval/approval.demo.ts'
import type { Context } from '#kernel/context.ts'
import { seedCampaigns } from './demo/campaigns.demo.ts'
import { seedEvents } from './demo/events.demo.ts'
import type { DemoPost } from './demo/post-table.demo.ts'
import { seedPosts } from './demo/posts.demo.ts'
import { seedQueues } from './demo/queues.demo.ts'

/** Fills an empty workspace with realistic data. */
export async function seedPublishing(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('campaigns').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const campaigns = await seedCampaigns(context)
  const profiles = await seedQueues(context)
  const posts = await seedPosts(context, campaigns, profiles)
  await seedApproval(context, posts.filter(({ kind }) => kind === 'waiting').map(contentOf))
  await seedEvents(context)
}

/** The fields of a post that approval needs. */
const contentOf = ({ id, campaign, message }: DemoPost) => ({
  entityId: id,
  postId: id,
  messageId: message.id,
  scopeId: campaign.id,
  network: message.network,
})
