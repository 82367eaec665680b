import { z } from 'zod'
import { choice, integer, shape, text } from '#kernel/wire/fields.ts'
import { param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { linkIds } from '../declarations.ts'

/** Up to ten digits and two decimals. */
export const isAmount = (text: string): boolean => /^\d{1,10}(\.\d{1,2})?$/.test(text)

const statuses = ['active', 'inactive'] as const
const fields = {
  Id: text,
  Tag: text,
  Value: text,
  Status: choice(statuses),
  Conversions: integer,
}
export const ConversionTag = shape('ConversionTag', fields)
export const ConversionTagWithSnippet = shape('ConversionTagWithSnippet', { ...fields, Snippet: text })

const amount = param({ type: 'string', pattern: '^\\d{1,10}(\\.\\d{1,2})?$' }, (raw) => {
  const value = scalar(raw).trim()
  return isAmount(value) ? value : refuse('must be an amount such as 10 or 10.50')
})

/** Writable columns. */
export const conversionTagDraft = z.object({
  tag: params.line(),
  value: amount.optional(),
})
export const conversionTagChanges = conversionTagDraft.partial().extend({
  id: params.pathId(linkIds.conversionTag),
  status: params.choice(statuses).optional(),
})
export type ConversionTagDraft = z.output<typeof conversionTagDraft>
export type ConversionTagChanges = z.output<typeof conversionTagChanges>
