import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { everything, idFilter, listParams, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { list, parts } from '#kernel/wire/replies.ts'
import { approvalIds } from '../declarations.ts'
import * as workflows from './workflow.ts'
import { stepFields, Workflow, WorkflowStep, workflowFields } from './workflow-shape.ts'

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
