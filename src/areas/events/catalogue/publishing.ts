import { eventType } from './event-type.ts'

const group = 'Publishing'

export const publishingEvents = [
  eventType('postCreated', { group, description: 'Somebody made a post.' }),
  eventType('postModified', { group, description: 'Somebody changed a post before it went out.' }),
  eventType('postDeleted', { group, description: 'Somebody removed a post before it went out.' }),
  eventType('postSent', { group, description: 'A post was published.' }),
] as const
