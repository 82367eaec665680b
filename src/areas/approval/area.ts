import { hour, minute } from '#kernel/clock.ts'
import { defineArea, type Registry } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { inside, on } from '../events/reaction.ts'
import { settleItems, settleItemsJob } from './decision/decision.ts'
import { repairOrphans, repairOrphansJob } from './decision/submission.ts'
import { endpointsFor as items } from './decision/workflow-item.api.ts'
import { approvalChanges, approvalEvents, approvalIds, approvalQuotas } from './declarations.ts'
import { appEndpointsFor as editing, endpoints as workflows } from './editing/workflow.api.ts'
import { followLostApprovers } from './editing/workflow-editing.ts'
import { itemSamples } from './item/item.events.ts'
import { watchedItems } from './item/item.ts'
import { endpointsFor as reviews } from './review/review.api.ts'
import { createDefaultWorkflow } from './workflow/workflow.ts'

export const approval = defineArea({
  name: 'approval',
  dependsOn: ['account', 'events'],
  ids: approvalIds,
  quotas: approvalQuotas,
  changes: approvalChanges,
  events: withSamples(approvalEvents, { ...itemSamples }),
  tables: [
    'workflowApprovers',
    'workflowDecisions',
    'workflowItems',
    'workflowNotes',
    'workflowSteps',
    'workflowItemVersions',
    'workflows',
  ],
  // An approver's decision locks the content first.
  locks: { workflows: 'sends', workflowItems: 'workflows' },
  tags: [
    {
      name: 'Approvals',
      description: 'Approval workflows, their steps, and content waiting for approval.',
      of: ['workflow', 'workflow-step', 'workflow-item', 'workflow-items', 'workflow-item-note'],
    },
  ],
  endpoints: ({ approvables }: Registry) => [...workflows, ...items(approvables)],
  appEndpoints: ({ approvables }: Registry) => [...editing(approvables), ...reviews(approvables)],
  jobs: ({ registry: { approvables } }) => [settleItemsJob(approvables), repairOrphansJob(approvables)],
  recurringJobs: [
    { job: settleItems, every: minute },
    { job: repairOrphans, every: hour },
  ],
  reactions: ({ approvables }: Registry) => [
    on('userDeleted', inside(followLostApprovers(approvables)), { last: true }),
    on('userRoleChanged', inside(followLostApprovers(approvables)), { last: true }),
    on('accountCreated', inside(createDefaultWorkflow)),
  ],
  presence: [watchedItems],
})
