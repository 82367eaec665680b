import { eventType } from './event-type.ts'
import { commentText, conversationSample, directMessageText, inboxItemSample } from './inbox-item-sample.ts'
import { sampleIds } from './sample-ids.ts'

const group = 'Engagement'
const keptTag = { Id: sampleIds.keptTag, Name: 'question' }
const addedTag = { Id: sampleIds.addedTag, Name: 'trail guide' }

export const engagementEvents = [
  eventType('newInboxItem', {
    group,
    description: 'The inbox received an item it did not know yet.',
    sample: inboxItemSample,
  }),
  eventType('newCommentOnInboxItem', {
    group,
    description: 'Somebody commented or replied under an item the inbox already holds.',
    sample: { Item: inboxItemSample, Text: commentText },
  }),
  eventType('newDirectMessageOnInboxItem', {
    group,
    description: 'Somebody wrote again in a thread of direct messages.',
    sample: { Item: conversationSample, Text: directMessageText },
  }),
  eventType('inboxItemReplied', {
    group,
    description: 'One of your users answered an item from the inbox.',
    sample: { Item: inboxItemSample, Text: 'There is: number twelve stays under trees all the way.' },
  }),
  eventType('newNoteOnInboxItem', {
    group,
    description: 'One of your users left an internal note on an item.',
    sample: {
      Item: inboxItemSample,
      Note: { Id: sampleIds.timelineEntry, Text: 'The map team knows the answer.', CreatedBy: sampleIds.user },
    },
  }),
  eventType('newInboxItemAssignment', {
    group,
    description: 'An item was given to a user to take care of.',
    sample: { Item: inboxItemSample, Assignee: { Id: sampleIds.assignee, Email: 'sam.rivers@example.com' } },
  }),
  eventType('inboxItemStatusChange', {
    group,
    description: 'An item was closed or opened again.',
    sample: { Item: { ...inboxItemSample, Status: 'closed' }, Status: { From: 'open', To: 'closed' } },
  }),
  eventType('inboxItemTagChange', {
    group,
    description: 'An item gained or lost tags.',
    sample: {
      Item: inboxItemSample,
      Tags: {
        Added: [addedTag],
        Removed: [{ Id: sampleIds.removedTag, Name: 'unsorted' }],
        Current: [keptTag, addedTag],
      },
    },
  }),
] as const
