import { z } from 'zod'
import { shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { inboxIds } from '../declarations.ts'

/** A tag of conversations; inside a conversation its value is called its name. */
export const ConversationTag = shape('ConversationTag', { Id: text, Value: text })

export const longestTag = 64

/** The tag's new value. */
export const tagRename = z.object({
  id: params.pathId(inboxIds.conversationTag),
  tag: params.line({ max: longestTag }),
})

const mostTags = 100

/** Names of tags, in any of the encodings of an array; nothing is none of them. */
export const tagNames = params.lineList({ max: mostTags })
