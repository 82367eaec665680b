import { sampleIds } from './sample-ids.ts'

const ownProfile = {
  Id: sampleIds.profile,
  Name: 'Example Outdoors',
  Picture: 'https://www.example.com/images/example-outdoors.png',
  Type: 'LinkedIn',
}

/** A stranger: the id is the network's, because the person is no profile of the account. */
const remoteProfile = {
  Id: '55501990',
  Name: 'Robin Field',
  Picture: 'https://www.example.com/images/robin-field.png',
  Type: 'LinkedIn',
}

export const commentText = 'Is there a walk on it for a rainy afternoon?'
export const directMessageText = 'Thanks! Could you send me the map as a file?'

/** An item that began with a comment on the account's own post. */
export const inboxItemSample = {
  Id: sampleIds.inboxItem,
  Created: '2026-03-03 11:42:10',
  EventDate: '2026-03-03 11:41:55',
  Network: 'LinkedIn',
  ItemType: 'Post',
  Status: 'open',
  Url: 'https://www.example.com/company/example-outdoors/posts/7301#comment-88',
  Origin: 'owned',
  Data: {
    PostId: sampleIds.post,
    PostURL: 'https://www.example.com/company/example-outdoors/posts/7301',
    Profile: ownProfile,
    CommentProfile: remoteProfile,
    PostContent: {
      Text: 'Our spring trail guide is out: forty walks, all reachable by train.',
      Media: ['https://www.example.com/images/trail-guide.jpg'],
    },
    CommentContent: { Text: commentText, Media: [] },
    CommentDate: '2026-03-03 11:41:55',
  },
}

/** An item that is a thread of direct messages. */
export const conversationSample = {
  ...inboxItemSample,
  Id: sampleIds.conversation,
  ItemType: 'Conversation',
  Url: 'https://www.example.com/messaging/thread/4410',
  Origin: 'external',
  Data: {
    Profile: ownProfile,
    RemoteProfile: remoteProfile,
    LatestMessage: { Text: directMessageText, Media: [], Created: '2026-03-03 12:03:20' },
  },
}
