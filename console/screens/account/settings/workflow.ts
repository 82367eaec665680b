import type { Body } from '../../../wire/call.ts'

export type Workflow = Body<'GET /workflow'>['Items'][number]

/** What is no more as it was read when a workflow changes. */
export const workflowLists = [
  'GET /workflow',
  'v2 GET /workflow',
  'v2 GET /workflow/{id}',
  'GET /workflow-item',
] as const
