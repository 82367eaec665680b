import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import {
  datetime,
  flag,
  integer,
  listOf,
  longList,
  mapOf,
  nullableText,
  optional,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import { idFilter, listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { type Approvables, kindNames } from '../approvable.ts'
import { approvalIds } from '../declarations.ts'
import { search, withBoard } from '../item/item.ts'
import * as notes from '../item/note.ts'
import { Approver, WorkflowStep } from '../workflow/workflow-shape.ts'
import { decide, withdraw } from './decision.ts'
import { submitNamed } from './submission.ts'

const Decision = shape('WorkflowDecision', {
  UserId: text,
  StepId: text,
  IsApprove: flag,
  Note: text,
  Created: datetime,
})

const WorkflowItem = shape('WorkflowItem', {
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

const Author = shape('NoteAuthor', { Id: text, Name: text, Email: text, LastLogin: zeroDatetime })
const Note = shape('WorkflowNote', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  AccountId: text,
  UserId: text,
  Status: text,
  EntityId: text,
  Text: text,
  AdditionalData: nullableText,
})

const optionalFlag = params.flag.optional()

/** The kinds of content are passed in by the composition root. */
export function endpointsFor(approvables: Approvables) {
  const kinds = approvables.map(({ idKind }) => idKind)
  const id = z.object({ id: params.pathId(approvalIds.workflowItem, ...kinds) })
  const submission = z.object({ entityId: params.idOfAny(kinds), workflowId: params.idOf(scopeIds.workflow) })
  const decision = id.extend({
    isApprove: optionalFlag,
    // An alias used by some scripts.
    action: params.word(['approve', 'reject']).optional(),
    note: params.text({ max: 2000 }).optional(),
    stepId: params.idOf(approvalIds.workflowStep, { min: 0 }).optional(),
  })
  return [
    endpoint('GET /workflow-item', {
      summary: 'List items that are pending approval',
      needs: 'read',
      params: listParams(
        {
          stepId: idFilter(approvalIds.workflowStep).optional(),
          workflowId: idFilter(scopeIds.workflow).optional(),
          withHistory: optionalFlag,
          withAuthors: optionalFlag,
          withSteps: optionalFlag,
        },
        { count: upTo(1000, 20), order: sortBy({ created: 'date' }, 'created,0'), plainNames: true },
      ),
      reply: parts({
        Items: listOf(WorkflowItem),
        Total: integer,
        Authors: optional(mapOf(Approver)),
        Steps: optional(mapOf(WorkflowStep)),
      }),
      run: search,
    }),
    endpoint('POST /workflow-item', {
      summary: `Submit ${kindNames(approvables, 'a ')} for approval`,
      needs: 'contribute',
      params: submission,
      reply: item('Data', WorkflowItem),
      run: async (context: Context, input: z.output<typeof submission>) =>
        withBoard(await submitNamed(context, approvables, input)),
    }),
    endpoint('POST /workflow-item/{id}', {
      operationId: 'decideWorkflowItem',
      summary: 'Approve or reject an item at its current step, by its id or that of its content',
      needs: 'approve',
      params: decision,
      reply: item('Data', WorkflowItem),
      run: async (context: Context, { isApprove, action, ...rest }: z.output<typeof decision>) =>
        withBoard(await decide(context, approvables, { ...rest, isApprove: isApprove ?? action !== 'reject' })),
    }),
    endpoint('DELETE /workflow-item/{id}', {
      summary: 'Remove an item from its workflow; its content becomes a draft',
      needs: 'contribute',
      params: id,
      reply: done,
      run: (context: Context, input: z.output<typeof id>) => withdraw(context, approvables, input),
    }),
    ...noteEndpointsFor(approvables),
  ]
}

/** Notes on content that can be approved. */
function noteEndpointsFor(approvables: Approvables) {
  const kinds = approvables.map(({ idKind }) => idKind)
  const id = z.object({ id: params.idOfAny([approvalIds.workflowItem, ...kinds], { min: 0 }) })
  const noted = id.extend({ note: params.text({ min: 1, max: 2000 }) })
  return [
    endpoint('GET /workflow-item-note', {
      operationId: 'listWorkflowItemNotes',
      summary: `List the notes on a ${kindNames(approvables)}, by its id or that of its workflow item`,
      needs: 'read',
      params: id,
      reply: parts({ Authors: mapOf(Author), Notes: longList(Note) }),
      run: (context: Context, input: z.output<typeof id>) => notes.list(context, approvables, input),
    }),
    endpoint('PUT /workflow-item-note', {
      operationId: 'addWorkflowItemNote',
      inQuery: true,
      summary: `Add a note to a ${kindNames(approvables)}`,
      needs: 'contribute',
      params: noted,
      reply: done,
      run: (context: Context, input: z.output<typeof noted>) => notes.add(context, approvables, input),
    }),
  ]
}
