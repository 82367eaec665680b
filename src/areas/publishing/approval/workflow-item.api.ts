import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { endpoint } from '#kernel/http/endpoint.ts'
import { integer, listOf, mapOf, optional } from '#kernel/wire/fields.ts'
import { idFilter, listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, parts } from '#kernel/wire/replies.ts'
import { Approver, WorkflowStep } from '../workflow/workflow-shape.ts'
import * as items from './workflow-item.ts'
import { WorkflowItem } from './workflow-item-shape.ts'

const id = z.object({ id: params.pathId('workflowItem', 'post', 'message') })
const flag = params.flag.optional()
const decision = id.extend({
  isApprove: flag,
  // As some scripts say it.
  action: params.word(['approve', 'reject']).optional(),
  note: params.text({ max: 2000 }).optional(),
  stepId: params.idOf('workflowStep', { min: 0 }).optional(),
})

export const endpoints = [
  endpoint('GET /workflow-item', {
    summary: 'List what waits for approval',
    needs: 'read',
    params: listParams(
      {
        stepId: idFilter('workflowStep').optional(),
        workflowId: idFilter('workflow').optional(),
        withHistory: flag,
        withAuthors: flag,
        withSteps: flag,
      },
      { count: upTo(1000, 20), order: sortBy({ created: 'date' }, 'created,0'), plainNames: true },
    ),
    reply: parts({
      Items: listOf(WorkflowItem),
      Total: integer,
      Authors: optional(mapOf(Approver)),
      Steps: optional(mapOf(WorkflowStep)),
    }),
    run: items.search,
  }),
  endpoint('POST /workflow-item', {
    summary: 'Send a post or a message to approval',
    needs: 'contribute',
    params: z.object({ entityId: params.idOfAny(['post', 'message']), workflowId: params.idOf('workflow') }),
    reply: item('Data', WorkflowItem),
    run: items.send,
  }),
  endpoint('POST /workflow-item/{id}', {
    summary: 'Approve or reject what waits at its present step; the id is the item’s or that of what it is about',
    needs: 'approve',
    params: decision,
    reply: item('Data', WorkflowItem),
    run: (context: Context, { isApprove, action, ...rest }: z.output<typeof decision>) =>
      items.decideOn(context, { ...rest, isApprove: isApprove ?? action !== 'reject' }),
  }),
  endpoint('DELETE /workflow-item/{id}', {
    summary: 'Take something out of its workflow; it is a draft again',
    needs: 'contribute',
    params: id,
    reply: done,
    run: items.withdraw,
  }),
]
