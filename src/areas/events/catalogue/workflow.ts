import { eventType } from './event-type.ts'

const group = 'Workflow'

export const workflowEvents = [
  eventType('newApprovalItem', {
    group,
    description: 'Content was sent to approval and waits for its first approver.',
  }),
  eventType('approvalItemApproved', { group, description: 'Content in approval was approved.' }),
  eventType('approvalItemRejected', { group, description: 'Content in approval was turned down.' }),
] as const
