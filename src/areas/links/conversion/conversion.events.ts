import { emit, scopesOf } from '#areas/events/event.ts'
import { messageSample, sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { type ClickRow, withDetails } from '../click/click.ts'
import { Click } from '../click/click-shape.ts'
import { linkEvents } from '../declarations.ts'

const toWire = wireForm(Click)

/** Publishes a converted click. Its message may belong to another campaign than the link. */
export async function announceConversion(context: Context, click: ClickRow) {
  const [detailed] = await withDetails(context, [click])
  if (!detailed) return
  const scopes = scopesOf(detailed.campaignId, detailed.messageCampaignId)
  await emit(context, linkEvents.newConversion, { scopes, data: toWire(detailed) })
}

const { Message, LinkUrl, LinkTitle, ImageUrl } = messageSample

export const conversionSamples = {
  newConversion: sampleOf(Click, {
    ...sampleReferences,
    Id: sampleIds.click,
    Created: '2026-03-03 08:31:12',
    ConvertedDate: '2026-03-03 08:34:47',
    Message,
    LinkUrl,
    LinkTitle,
    ImageUrl,
    RemoteUrl: 'https://www.example.com/company/example-outdoors/posts/7301',
    UserAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    GeoCountry: 'Netherlands',
    GeoCity: 'Utrecht',
    GeoOrganization: 'Example Telecom',
    GeoLongitude: 5.12,
    GeoLatitude: 52.09,
  }),
}
