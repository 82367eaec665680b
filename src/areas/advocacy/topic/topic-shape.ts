import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { numericText, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { advocacyIds } from '../declarations.ts'

export const Topic = shape('Topic', {
  Id: text,
  Name: text,
  BoardId: text,
  Used: numericText,
  Subscribers: numericText,
  LastUsedDate: zeroDatetime,
})

const written = z.object({ name: params.line({ max: 128 }) })

export const topicDraft = written.extend({ boardId: params.idOf(scopeIds.board) })
export const topicChanges = written.extend({ id: params.pathId(advocacyIds.topic) })
export type TopicDraft = z.output<typeof topicDraft>
export type TopicChanges = z.output<typeof topicChanges>
