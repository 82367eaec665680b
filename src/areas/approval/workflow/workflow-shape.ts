import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { boolean, choice, datetime, flag, listOf, optional, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { objectList } from '#kernel/wire/structured-params.ts'
import { approvalIds } from '../declarations.ts'
import { approverRoles } from './workflow.ts'

const workflowStatuses = ['active', 'inactive'] as const

export const Approver = shape('Approver', { Id: text, Created: datetime, Name: text, Email: text })

export const stepFields = {
  Id: text,
  Created: datetime,
  WorkflowId: text,
  Name: text,
  MustBeApprovedByEveryone: boolean,
  Approvers: listOf(Approver),
}
export const WorkflowStep = shape('WorkflowStep', stepFields)

export const workflowFields = {
  Id: text,
  Created: datetime,
  Name: text,
  Status: choice(workflowStatuses),
  Steps: optional(listOf(WorkflowStep)),
}
export const Workflow = shape('Workflow', workflowFields)

/** For editing in the console, beyond the public contract: whether it is the default, and the roles whose users decide at a step. */
export const EditableWorkflow = shape('EditableWorkflow', {
  ...workflowFields,
  IsDefault: flag,
  Steps: listOf(shape('EditableStep', { ...stepFields, ApproverRoles: listOf(choice(approverRoles)) })),
})

/** Fields of a step that users set; columns of its row, except for the approvers. The id refers to an existing step. */
const stepDraft = z.object({
  id: params.idOf(approvalIds.workflowStep, { min: 0 }).optional(),
  name: params.line(),
  mustBeApprovedByEveryone: params.flag.optional(),
  approverIds: params.idList(accountIds.user).optional(),
  approverRoles: params.choices(approverRoles).optional(),
})
/** The same for a workflow. */
export const workflowDraft = z.object({
  name: params.line(),
  steps: objectList(stepDraft, { min: 1, max: 20 }),
})
export const workflowChanges = workflowDraft.partial().extend({
  id: params.pathId(scopeIds.workflow),
  status: params.choice(workflowStatuses).optional(),
  isDefault: params.flag.optional(),
})
export type StepDraft = z.output<typeof stepDraft>
export type WorkflowDraft = z.output<typeof workflowDraft>
export type WorkflowChanges = z.output<typeof workflowChanges>
