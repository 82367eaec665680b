import { z } from 'zod'
import { columnsOf, datetime, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { streamIds } from '../declarations.ts'

export const StreamTab = shape('StreamTab', {
  Id: text,
  Name: text,
  Status: text,
  Created: datetime,
})

export const streamTabColumns = columnsOf(StreamTab)

export const streamTabDraft = z.object({ name: params.line({ max: 128 }) })
export const streamTabChanges = streamTabDraft.extend({ id: params.pathId(streamIds.streamTab) })
export type StreamTabDraft = z.output<typeof streamTabDraft>
export type StreamTabChanges = z.output<typeof streamTabChanges>
