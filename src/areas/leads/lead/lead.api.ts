import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { leadIds } from '../declarations.ts'
import * as leads from './lead.ts'
import { Lead, leadDraft, linkReplacement } from './lead-shape.ts'

const id = z.object({ id: params.pathId(leadIds.lead) })

export const endpoints = [
  endpoint('GET /lead', {
    summary: 'List leads with an email address, or all leads',
    needs: 'read',
    params: listParams(
      { search: params.line({ min: 0 }).optional(), all_leads: params.flag.optional() },
      { count: oneOf(25, 50, 100), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Lead),
    run: leads.search,
  }),
  endpoint('GET /lead/{id}', {
    summary: 'Get a lead',
    needs: 'read',
    params: id,
    reply: item('Lead', Lead),
    run: leads.get,
  }),
  endpoint('POST /lead-link-replace', {
    operationId: 'replaceLeadLink',
    summary: 'Replace the CRM record that a lead is linked to',
    needs: 'contribute',
    params: linkReplacement,
    reply: done,
    run: leads.replaceLink,
  }),
]

export const appEndpoints = [
  appEndpoint('POST /lead', {
    summary: 'Create a lead manually',
    needs: 'contribute',
    params: leadDraft,
    reply: item('Lead', Lead),
    run: leads.create,
  }),
]
