/** Events between areas that webhooks can't receive. Plain values only, because a reaction may run later in another process. */
export interface InnerEvents {
  /** A profile was connected or reconnected. Profiles of advocates are for their shares only. */
  profileConnected: { credentialId: string; boardOnly: boolean }
  /** The profile can no longer be used. */
  profileDeleted: { credentialId: string }
  /** A message is about to be changed or deleted; an area that offers it to others may reject the change. */
  messageChanging: { messageId: string }
  /** The content of a message changed; `mayApprove` states whether the user who changed it may approve content. */
  messageChanged: { messageId: string; mayApprove: boolean }
  /** A page has identified a converted visitor for the first time: the email address in lower case, with the source of the click. */
  conversionIdentified: {
    clickId: string
    conversionTagId: string
    email: string
    network: string
    campaignId: string
  }
  /** The user signed in through an emailed link, which verifies their email address. */
  cameByLink: { userId: string }
  /** A new account with its first admin was created. */
  accountCreated: Record<string, never>
  userDeleted: { userId: string }
  /** A user's account may be compromised: all access in their name without a password is revoked. */
  accessEnded: { userId: string }
  /** The role changed or was removed. */
  userRoleChanged: { userId: string }
  /** An external user's action was added to the inbox; never emitted for actions of our own profiles. */
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
    /** Empty if it does not belong to one of our posts. */
    postlogId: string
    /** ISO 8601. */
    at: string
  }
  /** A post was published on a profile and has a network id. The time is ISO 8601. */
  postPublished: {
    postId: string
    credentialId: string
    campaignId: string
    messageId: string
    remoteId: string
    at: string
  }
}
