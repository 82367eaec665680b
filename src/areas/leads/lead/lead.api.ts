import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import { idFilter, listParams, oneOf, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, longItem } from '#kernel/wire/replies.ts'
import { leadIds } from '../declarations.ts'
import * as activities from './activity.ts'
import { exportPerson, remove } from './data-subject.ts'
import * as leads from './lead.ts'
import { Lead, LeadActivity, leadDraft, linkReplacement } from './lead-shape.ts'

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
  endpoint('DELETE /lead/{id}', {
    summary: 'Delete a lead and all personal data of the person',
    needs: 'approve',
    params: id,
    reply: done,
    run: remove,
  }),
  endpoint('GET /lead-activity', {
    summary: 'List the activities of leads',
    needs: 'read',
    params: listParams(
      { leadId: idFilter(leadIds.lead).optional() },
      { count: upTo(100, 25), order: sortBy({ activityDate: 'date' }, 'activityDate,0') },
    ),
    reply: list(LeadActivity),
    run: activities.search,
  }),
  endpoint('DELETE /lead-activity/{id}', {
    summary: 'Delete an activity of a lead',
    needs: 'approve',
    params: z.object({
      id: params.pathId(leadIds.leadActivity),
      leadId: params.idOf(leadIds.lead, { min: 0 }).optional(),
    }),
    reply: done,
    run: activities.remove,
  }),
]

export const appEndpointsFor = (locations: readonly PersonalDataLocation[]) => [
  appEndpoint('POST /lead', {
    summary: 'Create a lead manually',
    needs: 'contribute',
    params: leadDraft,
    reply: item('Lead', Lead),
    run: leads.create,
  }),
  appEndpoint('GET /lead/{id}/export', {
    operationId: 'exportLead',
    summary: 'Export all data of a person',
    needs: 'read',
    params: id,
    reply: longItem('Export'),
    run: (context, { id }) => exportPerson(context, id, locations),
  }),
]
