import { eventType } from './event-type.ts'

export const campaignEvents = [
  eventType('newCampaign', { group: 'Other', description: 'A campaign was created.' }),
] as const
