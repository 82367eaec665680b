import { engagementEvents } from './engagement.ts'
import { eventType } from './event-type.ts'

const language = { Language: 'en' }

export const legacyEvents = [
  olderForm('newConversation', 'newInboxItem', 'The inbox received an item, told with its language.', language),
  olderForm(
    'conversationUpdated',
    'newCommentOnInboxItem',
    'An item received a comment or a direct message, told with its language.',
    language,
  ),
  olderForm('newNoteOnConversation', 'newNoteOnInboxItem', 'An internal note was left on an item.'),
  olderForm('newAssignment', 'newInboxItemAssignment', 'An item was given to a user.'),
  olderForm('conversationStatusUpdated', 'inboxItemStatusChange', 'An item was closed or opened again.'),
  olderForm('newEngagementItem', 'newInboxItem', 'The inbox received an item.'),
  olderForm('updatedEngagementItem', 'newCommentOnInboxItem', 'An item received a comment or a direct message.'),
] as const

type CurrentName = (typeof engagementEvents)[number]['name']

/** The contract shows no payloads of the legacy types: each looks like the current type that took its place. */
function olderForm<const Name extends string>(
  name: Name,
  current: CurrentName,
  description: string,
  addition: object = {},
) {
  const { group, sample } = engagementEvents.find((event) => event.name === current)!
  return eventType(name, { group, description, sample: { ...sample, ...addition }, legacy: true })
}
