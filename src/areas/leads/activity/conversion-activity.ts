import { scopesOf } from '#areas/events/event.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import { withDetails } from '#areas/links/click/click.ts'
import { claimClicks, setLead } from '#areas/links/conversion/conversion.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { capture } from '../lead/capture.ts'
import { addActivities, type Done } from './activity.ts'

interface Identified {
  clickId: string
  conversionTagId: string
  email: string
  network: string
  campaignId: string
}

/** A page told who converted: whose clicks these were is known from now on. */
export async function captureConversions(context: Context, events: readonly Emitted<Identified>[]) {
  const sightings = events.map(({ data: { email, network, campaignId } }) => ({
    ...{ email, name: '', photo: '', phone: '', network, campaignId },
  }))
  const { leads, facts } = await capture(context, sightings)
  for (const [index, { data, at }] of events.entries()) {
    const lead = leads[index]
    if (!lead) continue
    await setLead(context, data, lead.id)
    const clicks = await withDetails(context, await claimClicks(context, data.clickId, lead.id))
    if (!lead.isTracked) continue
    const click = clicks.find(({ id }) => id === data.clickId)
    const done = await addActivities(context, [
      ...clicks.map((one) => clicked(one, lead.id)),
      ...(click ? [converted(click, lead.id, data.conversionTagId, at)] : []),
    ])
    facts.push(...done)
  }
  await addFacts(context, facts)
}

type Click = Awaited<ReturnType<typeof withDetails>>[number]

const clicked = (click: Click, leadId: string): Done => ({
  ...{ leadId, type: 'click', activityDate: click.created, source: `click/${click.id}` },
  ...{ network: click.network, profileId: click.credentialId, postlogId: click.postlogId || null },
  campaignId: click.campaignId,
  scopes: scopesOf(click.campaignId, click.messageCampaignId),
  data: { ClickId: click.id, LinkId: click.linkId, CampaignId: click.campaignId, LinkUrl: click.linkUrl },
})

const converted = (click: Click, leadId: string, tagId: string, at: Date): Done => ({
  ...clicked(click, leadId),
  ...{ type: 'conversion', activityDate: at, source: `conversion/${click.id}/${tagId}` },
  data: { ClickId: click.id, LinkId: click.linkId, CampaignId: click.campaignId, ConversionTagId: tagId },
})
