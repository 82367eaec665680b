import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import type { Approvables } from '../approvable.ts'
import { searchWhole } from '../workflow/workflow.ts'
import {
  EditableWorkflow,
  type WorkflowChanges,
  type WorkflowDraft,
  workflowChanges,
  workflowDraft,
} from '../workflow/workflow-shape.ts'
import * as editing from './workflow-editing.ts'

const id = z.object({ id: params.pathId(scopeIds.workflow) })

/** Items of every kind move when what they wait at goes away. */
export const endpointsFor = (approvables: Approvables) => [
  appEndpoint('GET /workflow', {
    summary: 'List workflows with their steps, the roles that decide at each, and which is the default one',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date' }, 'created,0') }),
    reply: list(EditableWorkflow),
    run: searchWhole,
  }),
  appEndpoint('POST /workflow', {
    summary: 'Create a workflow',
    needs: 'administer',
    params: workflowDraft,
    reply: item('Workflow', EditableWorkflow),
    run: (context: Context, input: WorkflowDraft) => editing.create(context, approvables, input),
  }),
  appEndpoint('PUT /workflow/{id}', {
    summary:
      'Change a workflow, or make it the default one; steps given without their id are new, those left out are removed',
    needs: 'administer',
    params: workflowChanges,
    reply: item('Workflow', EditableWorkflow),
    run: (context: Context, input: WorkflowChanges) => editing.update(context, approvables, input),
  }),
  appEndpoint('DELETE /workflow/{id}', {
    summary: 'Put a workflow out of use; what waits in it moves to the default one',
    needs: 'administer',
    params: id,
    reply: done,
    run: (context: Context, input: z.output<typeof id>) => editing.retire(context, approvables, input),
  }),
]
