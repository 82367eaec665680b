import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { day, moment } from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import * as calendar from './calendar.ts'
import { calendarFilters, calendarParts, plannerFilters } from './calendar-shape.ts'
import { plan } from './planner.ts'
import { plannerParts } from './planner-shape.ts'

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
]

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
    run: plan,
  }),
]
