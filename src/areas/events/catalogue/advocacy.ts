import { eventType } from './event-type.ts'

const group = 'Advocacy'

export const advocacyEvents = [
  eventType('newAdvocacyMessage', {
    group,
    description: 'A board was given a message that advocates can share.',
  }),
  eventType('newAdvocacyStory', {
    group,
    description: 'A board was given a story that advocates can share.',
  }),
  eventType('newAdvocacyTopic', { group, description: 'A board was given a topic.' }),
] as const
