import { boardMessageSamples } from '#areas/advocacy/board-message/board-message.events.ts'
import { storySamples } from '#areas/advocacy/story/story.events.ts'
import { topicSamples } from '#areas/advocacy/topic/topic.events.ts'
import { itemSamples } from '#areas/approval/item/item.events.ts'
import { type EventName, eventTypes, findEventType } from '#areas/events/catalogue/catalogue.ts'
import { inboxSamples } from '#areas/inbox/item/item-samples.events.ts'
import { activitySamples } from '#areas/leads/activity/activity.events.ts'
import { leadSamples } from '#areas/leads/lead/lead.events.ts'
import { conversionSamples } from '#areas/links/conversion/conversion.events.ts'
import { campaignSamples } from '#areas/publishing/campaign/campaign.events.ts'
import { postSamples } from '#areas/publishing/post/post.events.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'

/** All event types, including legacy ones. */
export const names: readonly EventName[] = eventTypes.map(({ name }) => name)

/** Event types offered for new webhooks. */
export const current = eventTypes
  .filter(({ legacy }) => !legacy)
  .map(({ name, group, description }) => ({ event: name, group, description }))

/** Samples declared by the emitting areas; the catalogue has the rest. */
const samples: { readonly [name in EventName]?: object } = {
  ...postSamples,
  ...itemSamples,
  ...conversionSamples,
  ...leadSamples,
  ...activitySamples,
  ...campaignSamples,
  ...storySamples,
  ...boardMessageSamples,
  ...topicSamples,
  ...inboxSamples,
}

/** One element of the event's data, or an array if the contract shows one. */
export function sampleOfEvent(name: string): object | undefined {
  const type = findEventType(name)
  return type && (samples[type.name as EventName] ?? type.sample)
}

export async function sample(_context: Context, { event }: { event: string }) {
  const sample = sampleOfEvent(event)
  if (!sample) throw missing('Event')
  return { event, sample }
}
