import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { visible } from '../campaign/campaign.ts'

export interface EventCampaign {
  id: string
  name: string
  color: string
}

/** The campaigns of each event that the caller may see, in the order they were made. */
export async function campaignsOf(
  context: Context,
  eventIds: readonly string[],
): Promise<Map<string, EventCampaign[]>> {
  const found = new Map<string, EventCampaign[]>(eventIds.map((id) => [id, []]))
  if (eventIds.length === 0) return found
  const rows = await context.db
    .selectFrom('customEventCampaigns as l')
    .innerJoin('campaigns', (join) =>
      join.on('campaigns.accountId', '=', context.accountId).onRef('campaigns.id', '=', 'l.campaignId'),
    )
    .select(['l.eventId', 'campaigns.id', 'campaigns.name', 'campaigns.color'])
    .where('l.accountId', '=', context.accountId)
    .where(sql<boolean>`l.event_id = any (${eventIds})`)
    .where('campaigns.deleted', 'is', null)
    .where(withinTeams(context, 'campaigns.id'))
    .orderBy('campaigns.id')
    .execute()
  for (const { eventId, ...campaign } of rows) found.get(eventId)?.push(campaign)
  return found
}

/** Those who see one of its campaigns hear that an event changed; of one without campaigns everybody. */
export async function hintEvent({ db, accountId, hint }: Context, id: string) {
  const campaigns = await db
    .selectFrom('customEventCampaigns')
    .select('campaignId')
    .where('accountId', '=', accountId)
    .where('eventId', '=', id)
    .execute()
  const scopes = campaigns.length > 0 ? campaigns.map(({ campaignId }) => campaignId) : [null]
  for (const scope of scopes) hint({ kind: 'event', id, parent: null, scope })
}

/** Gives an event exactly these campaigns, as far as the caller sees: those of others stay with it. */
export async function setCampaigns(context: Context, eventId: string, campaignIds: readonly string[]) {
  const { db, accountId } = context
  const seen = campaignIds.length > 0 ? await visible(context).where('id', 'in', campaignIds).execute() : []
  const absent = campaignIds.find((id) => !seen.some((campaign) => campaign.id === id))
  if (absent) throw invalid(`campaignIds names ${absent}, but there is no such campaign.`)
  await db
    .deleteFrom('customEventCampaigns')
    .where('accountId', '=', accountId)
    .where('eventId', '=', eventId)
    .where(withinTeams(context, 'custom_event_campaigns.campaign_id'))
    .execute()
  if (campaignIds.length === 0) return
  await db
    .insertInto('customEventCampaigns')
    .values(campaignIds.map((campaignId) => ({ accountId, eventId, campaignId })))
    .execute()
}
