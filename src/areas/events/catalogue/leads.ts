import { eventType } from './event-type.ts'

const group = 'Leads'

export const leadEvents = [
  eventType('newLead', { group, description: 'A person became known by an email address.' }),
  eventType('newLeadActivity', { group, description: 'A lead did something on a network.' }),
  eventType('newConversion', {
    group,
    description: 'A visitor who came through a tracked link reached a conversion tag.',
  }),
] as const
