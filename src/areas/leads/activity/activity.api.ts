import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { idFilter, listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, list } from '#kernel/wire/replies.ts'
import { leadIds } from '../declarations.ts'
import * as activities from './activity.ts'
import { LeadActivity } from './activity-shape.ts'

export const endpoints = [
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
