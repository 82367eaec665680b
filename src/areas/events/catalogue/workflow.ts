import { eventType } from './event-type.ts'
import { sampleIds } from './sample-ids.ts'

const group = 'Workflow'

const postInApproval = {
  WorkflowItemID: sampleIds.workflowItem,
  WorkflowID: sampleIds.workflow,
  StepID: sampleIds.workflowStep,
  Status: 'pending',
  StoryID: '',
  BoardID: '',
  PostID: sampleIds.post,
  MessageID: sampleIds.message,
  Network: 'LinkedIn',
  Note: '',
  UserID: sampleIds.user,
}

/** A story names itself and its board; the contract leaves the message out. */
const storyInApproval = {
  ...postInApproval,
  StoryID: sampleIds.story,
  BoardID: sampleIds.board,
  PostID: '',
  MessageID: '',
}

export const workflowEvents = [
  eventType('newApprovalItem', {
    group,
    description: 'Content was sent to approval and waits for its first approver.',
    sample: postInApproval,
  }),
  eventType('approvalItemApproved', {
    group,
    description: 'Content in approval was approved.',
    sample: { ...storyInApproval, Status: 'approved', Note: 'Good to go.' },
  }),
  eventType('approvalItemRejected', {
    group,
    description: 'Content in approval was turned down.',
    sample: { ...postInApproval, Status: 'rejected', Note: 'Please name the station.' },
  }),
] as const
