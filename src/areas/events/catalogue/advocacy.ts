import { eventType } from './event-type.ts'
import { sampleIds } from './sample-ids.ts'

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
  eventType('newAdvocacyTopic', {
    group,
    description: 'A board was given a topic.',
    sample: [
      {
        Id: sampleIds.topic,
        Name: 'Walking',
        BoardId: sampleIds.board,
        Used: '0',
        Subscribers: '0',
        LastUsedDate: '0000-00-00 00:00:00',
      },
    ],
  }),
] as const
