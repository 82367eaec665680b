import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { boolean, listOf } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { inboxIds } from '../declarations.ts'
import { list, listFully } from './timeline.ts'
import { FullEntry, TimelineEntry } from './timeline-shape.ts'

const wish = z
  .object({
    id: params.pathId(inboxIds.inboxItem),
    last_loaded_id: params.idOf(inboxIds.inboxEntry, { min: 0 }).optional(),
  })
  .transform(({ id, last_loaded_id: lastLoadedId }) => ({ id, lastLoadedId }))

export const endpoints = [
  endpoint('GET /conversation/{id}/timeline', {
    summary: 'Get the timeline of a conversation, latest first; older entries with last_loaded_id',
    needs: 'read',
    params: wish,
    reply: parts({ Timeline: listOf(TimelineEntry) }),
    run: list,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /conversation/{id}/timeline', {
    summary: 'Get the timeline of a conversation with people, media and reply status',
    needs: 'read',
    params: wish,
    reply: parts({ Timeline: listOf(FullEntry), IsWhole: boolean }),
    run: listFully,
  }),
]
