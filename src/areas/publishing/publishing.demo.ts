import type { Context } from '#kernel/context.ts'
import { seedCampaigns } from './demo/campaigns.demo.ts'
import { seedEvents } from './demo/events.demo.ts'
import { seedPosts } from './demo/posts.demo.ts'
import { seedQueues } from './demo/queues.demo.ts'
import { seedWorkflows } from './demo/workflows.demo.ts'

/** A workspace in the middle of its work, if there is nothing yet. */
export async function seedPublishing(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('campaigns').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  const campaigns = await seedCampaigns(context)
  const profiles = await seedQueues(context)
  const posts = await seedPosts(context, campaigns, profiles)
  await seedWorkflows(context, posts)
  await seedEvents(context)
}
