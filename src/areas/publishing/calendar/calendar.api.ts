import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, flag, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { day, moment, momentOrNone } from '#kernel/wire/params.ts'
import { done, item, itemOrList, parts } from '#kernel/wire/replies.ts'
import { publishingIds } from '../declarations.ts'
import * as calendar from './calendar.ts'
import * as feed from './calendar-feed.ts'
import {
  CustomEvent,
  calendarFilters,
  calendarParts,
  customEventChanges,
  customEventDraft,
  plannerFilters,
  plannerParts,
} from './calendar-shape.ts'
import * as events from './custom-event.ts'

const eventId = params.idOf(publishingIds.customEvent, { min: 0 })

/** The public contract. */
export const endpoints = [
  endpoint('POST /calendar', {
    operationId: 'getCalendar',
    summary: 'List all posts of up to 60 days with their campaigns, messages and profiles',
    needs: 'read',
    readsOnly: true,
    params: z.object({
      fromDate: day,
      toDate: day,
      filters: calendarFilters.optional(),
    }),
    reply: parts(calendarParts),
    run: calendar.show,
  }),
  endpoint('GET /calendar/custom-events', {
    summary: 'Get a calendar event by its id, or list calendar events',
    needs: 'read',
    params: listParams(
      {
        id: eventId.optional(),
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
    params: z.object({ id: eventId }),
    reply: done,
    run: events.remove,
  }),
]

/** The console's own API. */
export const appEndpoints = [
  appEndpoint('POST /calendar', {
    operationId: 'getCalendar',
    summary: 'List all posts of a time window of up to 62 days in compact form',
    needs: 'read',
    readsOnly: true,
    params: z.object({
      from: moment,
      until: moment,
      find: params.line({ min: 0, max: 200 }).optional(),
      filters: plannerFilters.optional(),
    }),
    reply: parts(plannerParts),
    run: calendar.plan,
  }),
  appEndpoint('GET /calendar-key', {
    summary: 'Check whether the caller has a calendar link',
    needs: 'read',
    params: z.object({}),
    reply: parts({ HasKey: flag, Created: zeroDatetime, LastUsed: zeroDatetime }),
    run: feed.getKey,
  }),
  appEndpoint('POST /calendar-key', {
    summary: 'Create a calendar link for the caller; it replaces the previous one',
    needs: 'read',
    params: z.object({}),
    reply: parts({ Url: text, Created: datetime }),
    run: feed.createKey,
  }),
  appEndpoint('DELETE /calendar-key', {
    summary: 'Revoke the caller’s calendar link',
    needs: 'read',
    params: z.object({}),
    reply: done,
    run: feed.removeKey,
  }),
]
