import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, mapOf, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item, list as listOfAll, parts } from '#kernel/wire/replies.ts'
import { objectList } from '#kernel/wire/structured-params.ts'
import type { Approvables } from '../approvable.ts'
import { type Decided, decideSeveral, reportDecisions } from '../decision/decision.ts'
import { approvalIds } from '../declarations.ts'
import { Approver } from '../workflow/workflow-shape.ts'
import { dueStates, get, history, list, remind, views } from './review.ts'

const Person = shape('ReviewPerson', { Id: text, Name: text })
const ReviewedItem = shape('ReviewedItem', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  CreatedBy: text,
  CreatedByName: text,
  Status: text,
  EntityId: text,
  MessageId: text,
  PostId: text,
  StoryId: text,
  BoardId: text,
  Network: text,
  Text: text,
  WorkflowId: text,
  WorkflowName: text,
  StepId: text,
  StepName: text,
  Step: integer,
  Steps: integer,
  Round: integer,
  WaitingSince: datetime,
  Reminded: zeroDatetime,
  Planned: text,
  Due: zeroDatetime,
  DueState: choice(dueStates),
  Missing: listOf(Person),
  MayDecide: flag,
})

const Part = shape('WordingPart', { Name: text, Text: text })
const Decision = shape('ReviewDecision', { UserId: text, StepId: text, IsApprove: flag, Note: text, Created: datetime })
const Round = shape('WordingRound', {
  ItemId: text,
  Round: integer,
  Created: datetime,
  CreatedBy: text,
  Parts: listOf(Part),
  Decisions: listOf(Decision),
})
const Difference = shape('WordingDifference', { Name: text, Before: text, Now: text })
const Answer = shape('DecisionAnswer', { Id: text, Status: text, Problem: text })

/** The console's API for reviewing pending items. */
export function endpointsFor(approvables: Approvables) {
  const id = z.object({ id: params.pathId(approvalIds.workflowItem) })
  const kinds = approvables.map(({ idKind }) => idKind)
  const idOfEither = z.object({ id: params.pathId(approvalIds.workflowItem, ...kinds) })
  const search = z.object({
    view: params.choice(views),
    _page: params.count(0, 1_000_000).optional(),
    _count: params.count(1, 100).optional(),
  })
  const decision = z.object({
    id: params.idOf(approvalIds.workflowItem),
    stepId: params.idOf(approvalIds.workflowStep, { min: 0 }).optional(),
    round: params.count(1, 1_000_000).optional(),
  })
  const decisions = z.object({
    items: objectList(decision, { min: 1, max: 50 }),
    isApprove: params.flag,
    note: params.text({ max: 2000 }).optional(),
  })
  return [
    appEndpoint('GET /workflow-item', {
      summary: 'List items to decide, all pending items, the caller’s submissions, or decided items',
      needs: 'read',
      params: search,
      reply: listOfAll(ReviewedItem),
      run: (context: Context, input: z.output<typeof search>) => list(context, approvables, input),
    }),
    appEndpoint('GET /workflow-item/{id}', {
      summary: 'Get the approval status of an item, by its id or that of its content',
      needs: 'read',
      params: idOfEither,
      reply: item('Item', ReviewedItem),
      run: (context: Context, input: z.output<typeof idOfEither>) => get(context, approvables, input),
    }),
    appEndpoint('GET /workflow-item/{id}/changes', {
      summary: 'Get the content at each decision and the changes since the last one',
      needs: 'read',
      params: id,
      reply: parts({
        EntityId: text,
        Rounds: listOf(Round),
        Now: listOf(Part),
        Changed: listOf(Difference),
        Authors: mapOf(Approver),
      }),
      run: (context: Context, input: z.output<typeof id>) => history(context, approvables, input),
    }),
    appEndpoint('POST /workflow-item/{id}/remind', {
      summary: 'Email a reminder to the missing approvers of an item’s step, once a day',
      needs: 'contribute',
      params: id,
      reply: parts({ Reminded: listOf(Person) }),
      run: (context: Context, input: z.output<typeof id>) => remind(context, approvables, input),
    }),
    appEndpoint('POST /workflow-items', {
      operationId: 'decideWorkflowItems',
      summary: 'Approve or reject up to 50 items, with a result for each',
      needs: 'approve',
      params: decisions,
      reply: parts({ Items: listOf(Answer) }),
      before: (io: ExternalIo, input: z.output<typeof decisions>) => decideSeveral(io, approvables, input),
      run: (context: Context, _input: z.output<typeof decisions>, answers: Decided[]) =>
        reportDecisions(context, answers),
    }),
  ]
}
