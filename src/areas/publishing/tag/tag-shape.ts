import { z } from 'zod'
import { datetime, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { publishingIds } from '../declarations.ts'

export const Tag = shape('Tag', {
  Id: text,
  Created: datetime,
  Tag: text,
  LastUsedDate: zeroDatetime,
})

/** Fields that users set; columns of the row. */
export const tagDraft = z.object({
  tag: params.line({ min: 2, max: 64 }),
})
export const tagChanges = tagDraft.extend({ id: params.pathId(publishingIds.tag) })
export type TagDraft = z.output<typeof tagDraft>
export type TagChanges = z.output<typeof tagChanges>
