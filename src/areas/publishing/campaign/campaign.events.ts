import { emit } from '#areas/events/event.ts'
import { sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { publishingEvents } from '../declarations.ts'
import { Campaign } from './campaign-shape.ts'

const toWire = wireForm(Campaign)

export const announceCampaign = (context: Context, campaign: Parameters<typeof toWire>[0]) =>
  emit(context, publishingEvents.newCampaign, { scopes: [campaign.id], data: toWire(campaign) })

export const campaignSamples = {
  newCampaign: sampleOf(Campaign, {
    ...sampleReferences,
    Id: sampleIds.campaign,
    Name: 'Spring on foot',
    Url: 'https://www.example.com/spring',
    ShortUrl: 'https://go.example.com/spring',
    Color: '#2F6F4E',
    StartDate: '2026-03-01 00:00:00',
  }),
}
