import { z } from 'zod'
import { appEndpoint } from '#kernel/http/endpoint.ts'
import { objectList } from '#kernel/wire/object-list.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item } from '#kernel/wire/replies.ts'
import * as care from './workflow-care.ts'
import { Workflow, workflowStatuses } from './workflow-shape.ts'

const name = params.line()
const step = z.object({
  id: params.idOf('workflowStep', { min: 0 }).optional(),
  name,
  mustBeApprovedByEveryone: params.flag.optional(),
  approverIds: params.idList('user').optional(),
})
const steps = objectList(step, { min: 1, max: 20 })
const id = z.object({ id: params.pathId('workflow') })

export const endpoints = [
  appEndpoint('POST /workflow', {
    summary: 'Create a workflow',
    needs: 'administer',
    params: z.object({ name, steps }),
    reply: item('Workflow', Workflow),
    run: care.create,
  }),
  appEndpoint('PUT /workflow/{id}', {
    summary: 'Change a workflow; steps that are given without their id are new, those left out are removed',
    needs: 'administer',
    params: id.extend({
      name: name.optional(),
      status: params.choice(workflowStatuses).optional(),
      steps: steps.optional(),
    }),
    reply: item('Workflow', Workflow),
    run: care.update,
  }),
  appEndpoint('DELETE /workflow/{id}', {
    summary: 'Put a workflow out of use',
    needs: 'administer',
    params: id,
    reply: done,
    run: care.retire,
  }),
]
