import { eventType } from './event-type.ts'

const group = 'Engagement'

export const engagementEvents = [
  eventType('newInboxItem', { group, description: 'The inbox received an item it did not know yet.' }),
  eventType('newCommentOnInboxItem', {
    group,
    description: 'Somebody commented or replied under an item the inbox already holds.',
  }),
  eventType('newDirectMessageOnInboxItem', {
    group,
    description: 'Somebody wrote again in a thread of direct messages.',
  }),
  eventType('inboxItemReplied', { group, description: 'One of your users answered an item from the inbox.' }),
  eventType('newNoteOnInboxItem', { group, description: 'One of your users left an internal note on an item.' }),
  eventType('newInboxItemAssignment', { group, description: 'An item was given to a user to take care of.' }),
  eventType('inboxItemStatusChange', { group, description: 'An item was closed or opened again.' }),
  eventType('inboxItemTagChange', { group, description: 'An item gained or lost tags.' }),
] as const
