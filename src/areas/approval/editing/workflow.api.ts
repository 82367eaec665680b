import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import type { Context } from '#kernel/context.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, idFilter, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import type { Approvables } from '../approvable.ts'
import { approvalIds } from '../declarations.ts'
import * as workflows from '../workflow/workflow.ts'
import {
  EditableWorkflow,
  stepFields,
  Workflow,
  type WorkflowChanges,
  type WorkflowDraft,
  WorkflowStep,
  workflowChanges,
  workflowDraft,
  workflowFields,
} from '../workflow/workflow-shape.ts'

import * as editing from './workflow-editing.ts'

const id = z.object({ id: params.pathId(scopeIds.workflow) })
const withSteps = params.flag.optional()

export const endpoints = [
  endpoint('GET /workflow/{id}', {
    summary: 'Get a workflow',
    needs: 'read',
    params: id.extend({ withSteps }),
    reply: parts(workflowFields),
    run: workflows.get,
  }),
  endpoint('GET /workflow', {
    summary: 'List workflows',
    needs: 'read',
    params: listParams({ withSteps }, { count: everything, order: sortBy({ created: 'date' }, 'created,0') }),
    reply: list(Workflow),
    run: workflows.search,
  }),
  endpoint('GET /workflow-step/{id}', {
    summary: 'Get a step of a workflow with its approvers',
    needs: 'read',
    params: z.object({ id: params.pathId(approvalIds.workflowStep) }),
    reply: parts(stepFields),
    run: workflows.getStep,
  }),
  endpoint('GET /workflow-step', {
    summary: 'List the steps of workflows in order',
    needs: 'read',
    params: listParams(
      { workflowId: idFilter(scopeIds.workflow).optional() },
      { count: everything, order: sortBy({ position: 'date' }, 'position,1') },
    ),
    reply: list(WorkflowStep),
    run: workflows.searchSteps,
  }),
]

/** Items of every kind are moved when their step or workflow is removed. */
export const appEndpointsFor = (approvables: Approvables) => [
  appEndpoint('GET /workflow', {
    summary: 'List workflows with their steps, approver roles and the default workflow',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date' }, 'created,0') }),
    reply: list(EditableWorkflow),
    run: workflows.searchWhole,
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
