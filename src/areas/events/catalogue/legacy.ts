import { eventType } from './event-type.ts'

/** Older names of what the inbox tells; subscriptions of them are still served. */
const older = <const Name extends string>(name: Name, description: string) =>
  eventType(name, { group: 'Engagement', description, legacy: true })

export const legacyEvents = [
  older('newConversation', 'The inbox received an item, told with its language.'),
  older('conversationUpdated', 'An item received a comment or a direct message, told with its language.'),
  older('newNoteOnConversation', 'An internal note was left on an item.'),
  older('newAssignment', 'An item was given to a user.'),
  older('conversationStatusUpdated', 'An item was closed or opened again.'),
  older('newEngagementItem', 'The inbox received an item.'),
  older('updatedEngagementItem', 'An item received a comment or a direct message.'),
] as const
