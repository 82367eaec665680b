import { boardSample } from './board-sample.ts'
import { eventType } from './event-type.ts'
import { messageSample } from './message-sample.ts'
import { storySample } from './story-sample.ts'

const group = 'Advocacy'

export const advocacyEvents = [
  eventType('newAdvocacyMessage', {
    group,
    description: 'A board was given a message that advocates can share.',
    sample: { Message: messageSample, Board: boardSample },
  }),
  eventType('newAdvocacyStory', {
    group,
    description: 'A board was given a story that advocates can share.',
    sample: storySample,
  }),
  eventType('newAdvocacyTopic', { group, description: 'A board was given a topic.' }),
] as const
