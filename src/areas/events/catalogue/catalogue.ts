import { advocacyEvents } from './advocacy.ts'
import { campaignEvents } from './campaigns.ts'
import { engagementEvents } from './engagement.ts'
import type { EventType } from './event-type.ts'
import { leadEvents } from './leads.ts'
import { legacyEvents } from './legacy.ts'
import { publishingEvents } from './publishing.ts'
import { workflowEvents } from './workflow.ts'

/** Every event type, in the order of the contract; the legacy ones last. */
export const eventTypes = [
  ...advocacyEvents,
  ...publishingEvents,
  ...engagementEvents,
  ...leadEvents,
  ...workflowEvents,
  ...campaignEvents,
  ...legacyEvents,
] as const

export type EventName = (typeof eventTypes)[number]['name']

/** The event type of this name, legacy ones included. */
export const findEventType = (name: string): EventType | undefined => byName.get(name)

const byName = new Map<string, EventType>(eventTypes.map((type) => [type.name, type]))
