import { sampleIds } from '#areas/events/event-type.ts'
import { sampleOf } from '#kernel/wire/fields.ts'
import type { ItemEvent } from './item.events.ts'
import { CommentFacts, ItemElement, ItemTag, ThreadFacts } from './item-shape.ts'

/** Sample payloads of webhooks, built from their shapes. */

const at = '2026-03-03 11:41:55'

const profile = {
  Id: sampleIds.profile,
  Name: 'Example Outdoors',
  Picture: 'https://www.example.com/images/example-outdoors.png',
  Type: 'LinkedIn',
}

/** An external person: the id is the network's. */
const person = {
  Id: '55501990',
  Name: 'Robin Field',
  Picture: 'https://www.example.com/images/robin-field.png',
  Type: 'LinkedIn',
}

const question = 'Is there a walk on it for a rainy afternoon?'
const thanks = 'Thanks! Could you send me the map as a file?'
const post = 'https://www.example.com/company/example-outdoors/posts/7301'

const element = (known: Partial<typeof ItemElement.example>) =>
  sampleOf(ItemElement, { Created: at, EventDate: at, Network: 'LinkedIn', Status: 'open', ...known })

/** An item that started with a comment on the account's own post. */
const comment = element({
  Id: sampleIds.inboxItem,
  ItemType: 'Post',
  Url: `${post}#comment-88`,
  Origin: 'owned',
  Data: sampleOf(CommentFacts, {
    PostId: sampleIds.post,
    PostURL: post,
    Profile: profile,
    CommentProfile: person,
    PostContent: {
      Text: 'Our spring trail guide is out: forty walks, all reachable by train.',
      Media: ['https://www.example.com/images/trail-guide.jpg'],
    },
    CommentContent: { Text: question, Media: [] },
    CommentDate: at,
  }),
})

/** A thread of direct messages. */
const thread = element({
  Id: sampleIds.conversation,
  ItemType: 'Conversation',
  Url: 'https://www.example.com/messaging/thread/4410',
  Origin: 'external',
  Data: sampleOf(ThreadFacts, {
    Profile: profile,
    RemoteProfile: person,
    LatestMessage: { Text: thanks, Media: [], Created: at },
  }),
})

const tag = (Id: string, Name: string) => sampleOf(ItemTag, { Id, Name })
const [kept, added, removed] = [
  tag(sampleIds.keptTag, 'question'),
  tag(sampleIds.addedTag, 'trail guide'),
  tag(sampleIds.removedTag, 'unsorted'),
]

const current = {
  newInboxItem: comment,
  newCommentOnInboxItem: { Item: comment, Text: question },
  newDirectMessageOnInboxItem: { Item: thread, Text: thanks },
  inboxItemReplied: { Item: comment, Text: 'There is: number twelve stays under trees all the way.' },
  newNoteOnInboxItem: {
    Item: comment,
    Note: { Id: sampleIds.timelineEntry, Text: 'The map team knows the answer.', CreatedBy: sampleIds.user },
  },
  newInboxItemAssignment: {
    Item: comment,
    Assignee: { Id: sampleIds.assignee, Email: 'sam.rivers@example.com' },
  },
  inboxItemStatusChange: { Item: { ...comment, Status: 'closed' }, Status: { From: 'open', To: 'closed' } },
  inboxItemTagChange: { Item: comment, Tags: { Added: [added], Removed: [removed], Current: [kept, added] } },
} satisfies { [event in ItemEvent]: object }

const Language = 'en'

/** The contract documents no payloads of the older types: each equals the type that replaced it. */
export const inboxSamples = {
  ...current,
  newConversation: { ...current.newInboxItem, Language },
  conversationUpdated: { ...current.newCommentOnInboxItem, Language },
  newNoteOnConversation: current.newNoteOnInboxItem,
  newAssignment: current.newInboxItemAssignment,
  conversationStatusUpdated: current.inboxItemStatusChange,
  newEngagementItem: current.newInboxItem,
  updatedEngagementItem: current.newCommentOnInboxItem,
}
