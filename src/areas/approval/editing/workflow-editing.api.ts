import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { appEndpoint } from '#kernel/http/endpoint.ts'
import { objectList } from '#kernel/wire/object-list.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item } from '#kernel/wire/replies.ts'
import type { Approvables } from '../approvable.ts'
import { Workflow, workflowStatuses } from '../workflow/workflow-shape.ts'
import * as editing from './workflow-editing.ts'

const name = params.line()
const step = z.object({
  id: params.idOf('workflowStep', { min: 0 }).optional(),
  name,
  mustBeApprovedByEveryone: params.flag.optional(),
  approverIds: params.idList('user').optional(),
})
const steps = objectList(step, { min: 1, max: 20 })
const draft = z.object({ name, steps })
const id = z.object({ id: params.pathId('workflow') })
const changes = id.extend({
  name: name.optional(),
  status: params.choice(workflowStatuses).optional(),
  steps: steps.optional(),
})

/** What waits at a step that goes moves on, of whatever kind it is. */
export const endpointsFor = (approvables: Approvables) => [
  appEndpoint('POST /workflow', {
    summary: 'Create a workflow',
    needs: 'administer',
    params: draft,
    reply: item('Workflow', Workflow),
    run: (context: Context, input: z.output<typeof draft>) => editing.create(context, approvables, input),
  }),
  appEndpoint('PUT /workflow/{id}', {
    summary: 'Change a workflow; steps that are given without their id are new, those left out are removed',
    needs: 'administer',
    params: changes,
    reply: item('Workflow', Workflow),
    run: (context: Context, input: z.output<typeof changes>) => editing.update(context, approvables, input),
  }),
  appEndpoint('DELETE /workflow/{id}', {
    summary: 'Put a workflow out of use',
    needs: 'administer',
    params: id,
    reply: done,
    run: (context: Context, input: z.output<typeof id>) => editing.retire(context, approvables, input),
  }),
]
