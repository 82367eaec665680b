import { eventTypes } from '#areas/events/event-type.ts'
import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const approvalIds = idKinds({ workflowStep: 'cws', workflowItem: 'cwi', workflowNote: '0nt' })

export const approvalQuotas = quotas({
  workflows: { standard: 1_000, things: 'workflows in use', remedy: 'Put workflows out of use that nobody needs' },
  notes: { standard: 200_000, things: 'notes', remedy: 'Notes are kept' },
})

export const approvalChanges = changeKinds('approval')

export const approvalEvents = eventTypes('Workflow', {
  newApprovalItem: 'Content was sent to approval and waits for its first approver.',
  approvalItemApproved: 'Content in approval was approved.',
  approvalItemRejected: 'Content in approval was turned down.',
})
