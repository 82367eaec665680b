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

/** Items of every kind are moved when their step or workflow is removed. */
export const endpointsFor = (approvables: Approvables) => [
  appEndpoint('GET /workflow', {
    summary: 'List workflows with their steps, approver roles and the default workflow',
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
    summary: 'Update a workflow, or make it the default; steps without an id are added, omitted steps are removed',
    needs: 'administer',
    params: workflowChanges,
    reply: item('Workflow', EditableWorkflow),
    run: (context: Context, input: WorkflowChanges) => editing.update(context, approvables, input),
  }),
  appEndpoint('DELETE /workflow/{id}', {
    summary: 'Disable a workflow; its pending items move to the default workflow',
    needs: 'administer',
    params: id,
    reply: done,
    run: (context: Context, input: z.output<typeof id>) => editing.retire(context, approvables, input),
  }),
]
