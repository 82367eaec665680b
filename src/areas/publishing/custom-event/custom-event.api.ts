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
    summary: 'Get one event of the calendar by its id, or list them',
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
    summary: 'Put an event on the calendar',
    needs: 'contribute',
    params: customEventDraft,
    reply: item('Item', CustomEvent),
    run: events.create,
  }),
  endpoint('PUT /calendar/custom-events', {
    summary: 'Change an event of the calendar',
    needs: 'contribute',
    params: customEventChanges,
    reply: item('Item', CustomEvent),
    run: events.update,
  }),
  endpoint('DELETE /calendar/custom-events', {
    summary: 'Take an event off the calendar',
    needs: 'contribute',
    params: z.object({ id }),
    reply: done,
    run: events.remove,
  }),
]
