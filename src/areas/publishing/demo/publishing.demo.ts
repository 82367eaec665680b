import { clockFrom, daysFrom, demoId, owner } from '#areas/account/account.demo.ts'
import { seedApproval } from '#areas/approval/approval.demo.ts'
import type { Context } from '#kernel/context.ts'
import { seedCampaigns } from './campaigns.demo.ts'
import type { DemoPost } from './post-table.demo.ts'
import { seedPosts, seedQueues } from './posts.demo.ts'
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

const events: [title: string, description: string, first: number, last: number, campaign: number | undefined][] = [
  ['Outdoor fair', '<p>Hall 4, stand <b>B12</b>.</p>', -12, -9, undefined],
  ['Shooting at the coast', '<p>Two models, one van, whatever weather.</p>', 3, 4, 1],
  ['Summer meet-up', '<p>Tents go up on Friday at noon.</p>', 10, 12, 4],
  ['Stocktaking', '', 20, 20, undefined],
  ['Applications close', '<p>Answers within a week.</p>', 24, 24, 5],
]

async function seedEvents(context: Context) {
  const { db, accountId } = context
  const [at, created] = [clockFrom(context), daysFrom(context)(-14)]
  const rows = events.map(([title, description, first, last], index) => ({
    accountId,
    id: demoId('0CE', index + 1),
    created,
    modified: created,
    createdBy: owner,
    title,
    description,
    startDateTime: at(first, 0),
    endDateTime: new Date(at(last + 1, 0).getTime() - 1000),
  }))
  const links = events.flatMap(([, , , , campaign], index) =>
    campaign ? [{ accountId, eventId: demoId('0CE', index + 1), campaignId: demoId('002', campaign) }] : [],
  )
  await db.insertInto('customEvents').values(rows).execute()
  await db.insertInto('customEventCampaigns').values(links).execute()
}
