import { z } from 'zod'
import { leadIds } from '#areas/leads/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { done } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import { createCase } from './case.ts'

const name = params.line({ min: 0 }).optional()

export const endpoints = [
  endpoint('POST /conversation/{id}/create-case', {
    summary: 'Create or update the case of a conversation in a CRM; the timeline shows its status',
    needs: 'contribute',
    params: z
      .object({
        id: params.pathId(inboxIds.inboxItem),
        integration_id: params.idOf(leadIds.integration),
        case_owner: name,
        contact_id: name,
        case_description: params.text({ max: 10_000 }).optional(),
      })
      .transform(({ id, integration_id, case_owner, contact_id, case_description }) => ({
        id,
        integrationId: integration_id,
        caseOwner: case_owner,
        contactId: contact_id,
        description: case_description,
      })),
    reply: done,
    run: createCase,
  }),
]
