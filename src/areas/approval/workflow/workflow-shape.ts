import { boolean, choice, datetime, listOf, optional, shape, text } from '#kernel/wire/fields.ts'

export const workflowStatuses = ['active', 'inactive'] as const

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
