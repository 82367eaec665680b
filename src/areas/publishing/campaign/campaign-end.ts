import type { Context } from '#kernel/context.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { withdrawUnsent } from '../post/post-end.ts'

export const endCampaignName = { name: 'publishing.end-campaign', queue: 'housekeeping' } as const

/** Later than whoever archives the campaign waits for what is under way. */
const longAfter = 30_000

/** Has the end of a campaign made by a job, should whoever archives it not come to it. */
export const planEnd = (context: Context, campaignId: string) => {
  const { accountId, now } = context
  const due = new Date(now.getTime() + longAfter)
  return enqueue(context, endCampaignName, { accountId, campaignId }, { key: campaignId, due })
}

/** Takes back what an archived campaign has not sent; once, and not if it goes on by now. */
export async function endCampaign(context: Context, campaignId: string) {
  const { db, accountId } = context
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({ ending: false })
    .where('accountId', '=', accountId)
    .where('id', '=', campaignId)
    .where('ending', '=', true)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await withdrawUnsent(context, { campaignId }, 'The campaign was archived.')
}
