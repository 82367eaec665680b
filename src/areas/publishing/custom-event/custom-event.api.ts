import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { done, item, itemOrList } from '#kernel/wire/replies.ts'
import { publishingIds } from '../declarations.ts'
import * as events from './custom-event.ts'
import { CustomEvent, customEventChanges, customEventDraft } from './custom-event-shape.ts'

const id = params.idOf(publishingIds.customEvent, { min: 0 })

export const endpoints = [
  endpoint('GET /calendar/custom-events', {
    summary: 'Get a calendar event by its id, or list calendar events',
    needs: 'read',
    params: listParams(
      {
        id: id.optional(),
        ids: params.idList(publishingIds.customEvent).optional(),
        campaignIds: params.idList(scopeIds.campaign).optional(),
        after: momentOrNone.optional(),
        before: momentOrNone.optional(),
      },
      {
        count: oneOf(25, 50, 100),
        order: sortBy({ created: 'date', modified: 'date', startDateTime: 'date' }, 'created,0'),
      },
    ),
    reply: itemOrList('Item', CustomEvent),
    run: events.getOrSearch,
  }),
  endpoint('POST /calendar/custom-events', {
    summary: 'Create a calendar event',
    needs: 'contribute',
    params: customEventDraft,
    reply: item('Item', CustomEvent),
    run: events.create,
  }),
  endpoint('PUT /calendar/custom-events', {
    summary: 'Update a calendar event',
    needs: 'contribute',
    params: customEventChanges,
    reply: item('Item', CustomEvent),
    run: events.update,
  }),
  endpoint('DELETE /calendar/custom-events', {
    summary: 'Delete a calendar event',
    needs: 'contribute',
    params: z.object({ id }),
    reply: done,
    run: events.remove,
  }),
]
