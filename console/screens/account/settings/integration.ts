import type { Body } from '../../../wire/call.ts'

export type IntegrationType = Body<'GET /integration-types'>['Items'][number]

/** What is no more as it was read when an integration changes. */
export const integrationLists = ['v2 GET /integration', 'GET /integration/{id}'] as const
