import { job } from '#kernel/jobs/job.ts'
import { endCampaign, endCampaignName } from './campaign.ts'

interface Payload {
  accountId: string
  campaignId: string
}

/** Ends an archived campaign whose process was killed while it waited for posts in flight. */
export const endCampaignJob = job<Payload>(endCampaignName.name, {
  ...endCampaignName,
  run: ({ complete }, { accountId, campaignId }) => complete(accountId, (context) => endCampaign(context, campaignId)),
})
