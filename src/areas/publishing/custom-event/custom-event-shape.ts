import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { datetime, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { moment, momentOrNone } from '#kernel/wire/params.ts'
import { publishingIds } from '../declarations.ts'

export const CustomEvent = shape('CustomEvent', {
  ID: text,
  Created: datetime,
  Modified: datetime,
  AccountID: text,
  Title: text,
  Description: text,
  Color: text,
  StartDateTime: datetime,
  EndDateTime: datetime,
  Campaigns: listOf(shape(undefined, { Id: text, Name: text })),
})

export const customEventDraft = z.object({
  title: params.line({ max: 80 }),
  description: params.text({ max: 20_000 }).optional(),
  startDate: moment,
  endDate: momentOrNone.optional(),
  campaignIds: params.idList(scopeIds.campaign).optional(),
})
export const customEventChanges = customEventDraft.partial().extend({
  id: params.idOf(publishingIds.customEvent, { min: 0 }),
  startDate: momentOrNone.optional(),
})
export type CustomEventDraft = z.output<typeof customEventDraft>
export type CustomEventChanges = z.output<typeof customEventChanges>
