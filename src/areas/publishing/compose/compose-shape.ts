import { z } from 'zod'
import { draftKey, scopeIds } from '#areas/account/declarations.ts'
import { listOf, shape } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { objectList } from '#kernel/wire/structured-params.ts'
import { publishingIds } from '../declarations.ts'
import { Message, messageDraft } from '../message/message-shape.ts'
import { Post, postDraft } from '../post/post-shape.ts'

const mostParts = 20

/** The content for one network: the fields of a message and of its post. */
const part = messageDraft.omit({ campaignId: true, tagIds: true }).extend({
  ...postDraft.omit({ messageId: true, workflowId: true }).shape,
})

/** Content for several networks. Status and start time apply to all parts unless a part overrides them. */
export const composition = z.object({
  campaignId: params.idOf(scopeIds.campaign),
  tagIds: params.idList(publishingIds.tag).optional(),
  status: postDraft.shape.status,
  startDateTime: momentOrNone.optional(),
  workflowId: params.idOf(scopeIds.workflow, { min: 0 }).optional(),
  draftId: params.idOf(draftKey, { min: 0 }).optional(),
  parts: objectList(part, { min: 1, max: mostParts }),
})
export type Composition = z.output<typeof composition>

/** In the order of the parts. */
export const composed = { Items: listOf(shape('Composed', { Message, Post })) }
