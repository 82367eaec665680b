import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item } from '#kernel/wire/replies.ts'
import type { Approvables } from '../approvable.ts'
import {
  Workflow,
  type WorkflowChanges,
  type WorkflowDraft,
  workflowChanges,
  workflowDraft,
} from '../workflow/workflow-shape.ts'
import * as editing from './workflow-editing.ts'

const id = z.object({ id: params.pathId('workflow') })

/** What waits at a step that goes moves on, of whatever kind it is. */
export const endpointsFor = (approvables: Approvables) => [
  appEndpoint('POST /workflow', {
    summary: 'Create a workflow',
    needs: 'administer',
    params: workflowDraft,
    reply: item('Workflow', Workflow),
    run: (context: Context, input: WorkflowDraft) => editing.create(context, approvables, input),
  }),
  appEndpoint('PUT /workflow/{id}', {
    summary: 'Change a workflow; steps that are given without their id are new, those left out are removed',
    needs: 'administer',
    params: workflowChanges,
    reply: item('Workflow', Workflow),
    run: (context: Context, input: WorkflowChanges) => editing.update(context, approvables, input),
  }),
  appEndpoint('DELETE /workflow/{id}', {
    summary: 'Put a workflow out of use',
    needs: 'administer',
    params: id,
    reply: done,
    run: (context: Context, input: z.output<typeof id>) => editing.retire(context, approvables, input),
  }),
]
