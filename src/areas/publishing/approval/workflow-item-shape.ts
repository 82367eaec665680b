import { datetime, flag, listOf, optional, shape, text } from '#kernel/wire/fields.ts'

const Decision = shape('WorkflowDecision', {
  UserId: text,
  StepId: text,
  IsApprove: flag,
  Note: text,
  Created: datetime,
})

export const WorkflowItem = shape('WorkflowItem', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  Status: text,
  StepId: text,
  WorkflowId: text,
  MessageId: text,
  PostId: text,
  StoryId: text,
  BoardId: text,
  EntityId: text,
  Network: text,
  History: optional(listOf(Decision)),
})
