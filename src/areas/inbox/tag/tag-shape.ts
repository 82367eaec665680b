import { z } from 'zod'
import { shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { inboxIds } from '../declarations.ts'

/** A conversation tag; inside a conversation its value is called its name. */
export const ConversationTag = shape('ConversationTag', { Id: text, Value: text })

export const longestTag = 64

/** The tag's new value. */
export const tagRename = z.object({
  id: params.pathId(inboxIds.conversationTag),
  tag: params.line({ max: longestTag }),
})

const mostTags = 100

/** Tag names in any array encoding; empty for none. */
export const tagNames = params.lineList({ max: mostTags })
