interface EventType<Name extends string = string> {
  readonly name: Name
  readonly group: string
  readonly description: string
  /**
   * One element of the payload's data with placeholder values, an array where the contract shows one; written down here as long as the area
   * that will send it is not there. Who sends an event derives its sample from the shape it is sent with.
   */
  readonly sample?: object | readonly object[]
  /** Still delivered to subscriptions of it, no longer listed. */
  readonly legacy?: true
}

/** An event type whose name stays a literal, so that the catalogue's names form a union. */
const eventType = <const Name extends string>(name: Name, rest: Omit<EventType, 'name'>): EventType<Name> => ({
  name,
  ...rest,
})

const advocacyGroup = 'Advocacy'

const advocacyEvents = [
  eventType('newAdvocacyMessage', {
    group: advocacyGroup,
    description: 'A board was given a message that advocates can share.',
  }),
  eventType('newAdvocacyStory', {
    group: advocacyGroup,
    description: 'A board was given a story that advocates can share.',
  }),
  eventType('newAdvocacyTopic', { group: advocacyGroup, description: 'A board was given a topic.' }),
] as const

const campaignEvents = [eventType('newCampaign', { group: 'Other', description: 'A campaign was created.' })] as const

const engagementGroup = 'Engagement'

const engagementEvents = [
  eventType('newInboxItem', { group: engagementGroup, description: 'The inbox received an item it did not know yet.' }),
  eventType('newCommentOnInboxItem', {
    group: engagementGroup,
    description: 'Somebody commented or replied under an item the inbox already holds.',
  }),
  eventType('newDirectMessageOnInboxItem', {
    group: engagementGroup,
    description: 'Somebody wrote again in a thread of direct messages.',
  }),
  eventType('inboxItemReplied', {
    group: engagementGroup,
    description: 'One of your users answered an item from the inbox.',
  }),
  eventType('newNoteOnInboxItem', {
    group: engagementGroup,
    description: 'One of your users left an internal note on an item.',
  }),
  eventType('newInboxItemAssignment', {
    group: engagementGroup,
    description: 'An item was given to a user to take care of.',
  }),
  eventType('inboxItemStatusChange', { group: engagementGroup, description: 'An item was closed or opened again.' }),
  eventType('inboxItemTagChange', { group: engagementGroup, description: 'An item gained or lost tags.' }),
] as const

const leadGroup = 'Leads'

const leadEvents = [
  eventType('newLead', { group: leadGroup, description: 'A person became known by an email address.' }),
  eventType('newLeadActivity', { group: leadGroup, description: 'A lead did something on a network.' }),
  eventType('newConversion', {
    group: leadGroup,
    description: 'A visitor who came through a tracked link reached a conversion tag.',
  }),
] as const

/** Older names of what the inbox tells; subscriptions of them are still served. */
const older = <const Name extends string>(name: Name, description: string) =>
  eventType(name, { group: 'Engagement', description, legacy: true })

const legacyEvents = [
  older('newConversation', 'The inbox received an item, told with its language.'),
  older('conversationUpdated', 'An item received a comment or a direct message, told with its language.'),
  older('newNoteOnConversation', 'An internal note was left on an item.'),
  older('newAssignment', 'An item was given to a user.'),
  older('conversationStatusUpdated', 'An item was closed or opened again.'),
  older('newEngagementItem', 'The inbox received an item.'),
  older('updatedEngagementItem', 'An item received a comment or a direct message.'),
] as const

const publishingGroup = 'Publishing'

const publishingEvents = [
  eventType('postCreated', { group: publishingGroup, description: 'Somebody made a post.' }),
  eventType('postModified', { group: publishingGroup, description: 'Somebody changed a post before it went out.' }),
  eventType('postDeleted', { group: publishingGroup, description: 'Somebody removed a post before it went out.' }),
  eventType('postSent', { group: publishingGroup, description: 'A post was published.' }),
] as const

const workflowGroup = 'Workflow'

const workflowEvents = [
  eventType('newApprovalItem', {
    group: workflowGroup,
    description: 'Content was sent to approval and waits for its first approver.',
  }),
  eventType('approvalItemApproved', { group: workflowGroup, description: 'Content in approval was approved.' }),
  eventType('approvalItemRejected', { group: workflowGroup, description: 'Content in approval was turned down.' }),
] as const

/** Every event type, in the order of the contract; the legacy ones last. */
export const eventTypes = [
  ...advocacyEvents,
  ...publishingEvents,
  ...engagementEvents,
  ...leadEvents,
  ...workflowEvents,
  ...campaignEvents,
  ...legacyEvents,
] as const

export type EventName = (typeof eventTypes)[number]['name']

/** The event type of this name, legacy ones included. */
export const findEventType = (name: string): EventType | undefined => byName.get(name)

const byName = new Map<string, EventType>(eventTypes.map((type) => [type.name, type]))

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
