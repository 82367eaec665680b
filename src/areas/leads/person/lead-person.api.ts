import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import * as params from '#kernel/wire/params.ts'
import { done, longItem } from '#kernel/wire/replies.ts'
import { leadIds } from '../declarations.ts'
import { exportPerson, remove } from './lead-person.ts'

const id = z.object({ id: params.pathId(leadIds.lead) })

export const endpoints = [
  endpoint('DELETE /lead/{id}', {
    summary: 'Delete a lead and all personal data of the person',
    needs: 'approve',
    params: id,
    reply: done,
    run: remove,
  }),
]

export const appEndpointsFor = (locations: readonly PersonalDataLocation[]) => [
  appEndpoint('GET /lead/{id}/export', {
    operationId: 'exportLead',
    summary: 'Export all data of a person',
    needs: 'read',
    params: id,
    reply: longItem('Export'),
    run: (context, { id }) => exportPerson(context, id, locations),
  }),
]
