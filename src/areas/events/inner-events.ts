/** What areas tell each other of and nobody else: webhooks have no event for it. Plain values only, as a reaction may come later and elsewhere. */
export interface InnerEvents {
  /** A profile can be used: it is new, or was connected again. Those of advocates are for their shares alone. */
  profileConnected: { credentialId: string; boardOnly: boolean }
  /** Nothing can be done in the profile's name any more. */
  profileDeleted: { credentialId: string }
  /** Somebody is about to change or delete a message; whoever offers it to others may refuse. */
  messageChanging: { messageId: string }
  /** A message says something else now; whether whoever changed it may let content out. */
  messageChanged: { messageId: string; mayApprove: boolean }
  /** A page has told, for the first time, who converted: the address in small letters. With where the click came from. */
  conversionIdentified: {
    clickId: string
    conversionTagId: string
    email: string
    network: string
    campaignId: string
  }
  /** Somebody came in by a link that was mailed to them: the address is theirs. */
  cameByLink: { userId: string }
  /** There is a new account, with its first admin. */
  accountCreated: Record<string, never>
  userDeleted: { userId: string }
  /** Somebody may have got into a user's account: whatever reads in their name without a password stops. */
  accessEnded: { userId: string }
  /** Another role, or none any more. */
  userRoleChanged: { userId: string }
  /** Somebody outside did something that stands in the inbox now: never told of what our own profiles say. */
  inboxEntryArrived: {
    itemId: string
    entryId: string
    kind: 'comment' | 'reply' | 'mention' | 'message' | 'share' | 'like'
    network: string
    credentialId: string
    personId: string
    personName: string
    personUsername: string
    personPicture: string
    text: string
    /** Empty where it stands under no post of ours. */
    postlogId: string
    /** As ISO 8601 writes it. */
    at: string
  }
  /** A post is on a profile, and the network has a name for it. The moment is ISO. */
  postPublished: {
    postId: string
    credentialId: string
    campaignId: string
    messageId: string
    remoteId: string
    at: string
  }
}
