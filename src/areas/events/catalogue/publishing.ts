import { eventType } from './event-type.ts'
import { postSample, sentPostSample } from './post-sample.ts'

const group = 'Publishing'

export const publishingEvents = [
  eventType('postCreated', {
    group,
    description: 'Somebody made a post.',
    sample: postSample,
  }),
  eventType('postModified', {
    group,
    description: 'Somebody changed a post before it went out.',
    sample: { ...postSample, Modified: '2026-03-02 14:05:31', StartDateTime: '2026-03-04 08:00:00' },
  }),
  eventType('postDeleted', {
    group,
    description: 'Somebody removed a post before it went out.',
    sample: postSample,
  }),
  eventType('postSent', {
    group,
    description: 'A post was published.',
    sample: sentPostSample,
  }),
] as const
