import type { DescribedEventType } from '#areas/events/event-type.ts'

/** The order in which the contract lists event types; types that it does not list follow, legacy ones last. */
const contractOrder = [
  'newAdvocacyMessage',
  'newAdvocacyStory',
  'newAdvocacyTopic',
  'postCreated',
  'postModified',
  'postDeleted',
  'postSent',
  'newInboxItem',
  'newCommentOnInboxItem',
  'newDirectMessageOnInboxItem',
  'inboxItemReplied',
  'newNoteOnInboxItem',
  'newInboxItemAssignment',
  'inboxItemStatusChange',
  'inboxItemTagChange',
  'newLead',
  'newLeadActivity',
  'newConversion',
  'newApprovalItem',
  'approvalItemApproved',
  'approvalItemRejected',
  'newCampaign',
]

function positionOf({ name, legacy }: DescribedEventType): number {
  const position = contractOrder.indexOf(name)
  if (position >= 0) return position
  return contractOrder.length + (legacy ? 1 : 0)
}

export const inContractOrder = (types: readonly DescribedEventType[]): DescribedEventType[] =>
  [...types].sort((one, other) => positionOf(one) - positionOf(other))

/** Event types offered for new webhooks. */
export const offeredTypes = (types: readonly DescribedEventType[]) =>
  types.filter(({ legacy }) => !legacy).map(({ name, group, description }) => ({ event: name, group, description }))

/** One element of the event's data, or an array if the contract shows one. */
export const sampleOfEvent = (types: readonly DescribedEventType[], name: string): object | undefined =>
  types.find((type) => type.name === name)?.sample
