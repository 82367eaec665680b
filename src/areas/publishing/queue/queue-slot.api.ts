import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { flag, integer, listOf, shape, text, unixTime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { clockParam, clockTime, momentOrNone } from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { objectList } from '#kernel/wire/structured-params.ts'
import * as slots from './queue-slot.ts'
import { freeSlots } from './queue-slot.ts'

const QueueSlot = shape('QueueSlot', { Weekday: integer, Time: clockTime })
const reply = parts({ Items: listOf(QueueSlot), Total: integer, Timezone: text })
const id = z.object({ id: params.pathId(profileKey) })
const slot = z.object({ weekday: params.count(0, 6), time: clockParam })

export const endpoints = [
  appEndpoint('GET /credential/{id}/queue-slots', {
    summary: 'List the queue slots of a profile',
    needs: 'read',
    params: id,
    reply,
    run: slots.list,
  }),
  appEndpoint('PUT /credential/{id}/queue-slots', {
    summary: 'Set the queue slots of a profile',
    needs: 'approve',
    params: id.extend({ slots: objectList(slot, { max: 7 * 24 }) }),
    reply,
    run: slots.replace,
  }),
  appEndpoint('GET /credential/{id}/free-slots', {
    summary: 'List the next free queue slots of a profile',
    needs: 'read',
    params: id.extend({ after: momentOrNone.optional(), count: params.count(1, 50).optional() }),
    reply: parts({ Slots: listOf(unixTime), Timezone: text, HasQueue: flag }),
    run: freeSlots,
  }),
]
