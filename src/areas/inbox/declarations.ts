import { eventTypes, legacyEventTypes } from '#areas/events/event-type.ts'
import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const inboxIds = idKinds({
  inboxItem: 'eit',
  inboxEntry: 'eat',
  inboxReply: '0ir',
  inboxView: '0iv',
  conversationTag: 'etg',
  cannedResponse: 'cnr',
})

export const inboxQuotas = quotas({
  inboxReplies: { standard: 20_000, things: 'replies that were not sent', remedy: 'Wait until some of them are sent' },
  conversationTags: { standard: 10_000, things: 'tags of conversations', remedy: 'Delete tags that nobody needs' },
  cannedResponses: { standard: 10_000, things: 'canned responses', remedy: 'Delete responses that nobody uses' },
  inboxViews: { standard: 10_000, things: 'views of the inbox', remedy: 'Delete views that nobody uses' },
})

export const inboxChanges = changeKinds('conversation')

export const inboxEvents = {
  ...eventTypes('Engagement', {
    newInboxItem: 'The inbox received an item it did not know yet.',
    newCommentOnInboxItem: 'Somebody commented or replied under an item the inbox already holds.',
    newDirectMessageOnInboxItem: 'Somebody wrote again in a thread of direct messages.',
    inboxItemReplied: 'One of your users answered an item from the inbox.',
    newNoteOnInboxItem: 'One of your users left an internal note on an item.',
    newInboxItemAssignment: 'An item was given to a user to take care of.',
    inboxItemStatusChange: 'An item was closed or opened again.',
    inboxItemTagChange: 'An item gained or lost tags.',
  }),
  ...legacyEventTypes('Engagement', {
    newConversation: 'The inbox received an item, told with its language.',
    conversationUpdated: 'An item received a comment or a direct message, told with its language.',
    newNoteOnConversation: 'An internal note was left on an item.',
    newAssignment: 'An item was given to a user.',
    conversationStatusUpdated: 'An item was closed or opened again.',
    newEngagementItem: 'The inbox received an item.',
    updatedEngagementItem: 'An item received a comment or a direct message.',
  }),
}
