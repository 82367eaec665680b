import { z } from 'zod'
import { mediaIds } from '#areas/media/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import { boolean, choice, datetime, shape, text } from '#kernel/wire/fields.ts'
import { elements, listSchema, param, refersTo, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { inboxIds } from '../declarations.ts'

export const replyStatuses = ['waiting', 'sent', 'failed', 'unconfirmed', 'withdrawn'] as const

export const Reply = shape('ConversationReply', {
  Id: text,
  Created: datetime,
  CreatedBy: text,
  ItemId: text,
  CredentialId: text,
  Network: text,
  Text: text,
  Status: choice(replyStatuses),
  Error: text,
  RemoteId: text,
  /** It missed its time and waits for a decision. */
  IsLate: boolean,
})

const longestReply = 10_000
const mostMedia = 20

/** Asset ids, or assets as returned by the API: objects with an Id. */
const media = param<string[], readonly (string | { Id: string })[]>(
  { ...listSchema({ type: ['string', 'object'] }, { max: mostMedia }), ...refersTo(mediaIds.media) },
  (raw) => {
    const ids = elements(raw).map(idIn)
    if (ids.length > mostMedia) refuse(`must not hold more than ${mostMedia} assets`)
    return [...new Set(ids.filter((id) => id !== ''))]
  },
)

function idIn(element: unknown): string {
  if (typeof element !== 'object' || element === null) return scalar(element).trim().slice(0, 255)
  const { Id, id, ID } = element as { [name: string]: unknown }
  const found = Id ?? id ?? ID
  return found === undefined ? refuse('must hold ids of assets, or objects with an Id') : scalar(found).slice(0, 255)
}

const textFields = z.object({
  id: params.pathId(inboxIds.inboxItem),
  message: params.text({ min: 1, max: longestReply }),
  credential_id: params.idOf(profileKey, { min: 0 }).optional(),
  parent_comment_id: params.idOf(inboxIds.inboxEntry, { min: 0 }).optional(),
  media: media.optional(),
})

export const replyDraft = textFields.transform(
  ({ id, message, media = [], credential_id: credentialId = '', parent_comment_id: parentId = '' }) => ({
    id,
    message,
    media,
    credentialId,
    parentId,
  }),
)
export type ReplyDraft = z.output<typeof replyDraft>

/** Additional parameters of the console: the last seen entry, and a confirmation to send anyway. */
export const checkedReplyDraft = z
  .object({
    id: params.pathId(inboxIds.inboxItem),
    message: params.text({ min: 1, max: longestReply }),
    credentialId: params.idOf(profileKey, { min: 0 }).optional(),
    parentId: params.idOf(inboxIds.inboxEntry, { min: 0 }).optional(),
    media: media.optional(),
    lastEntryId: params.idOf(inboxIds.inboxEntry, { min: 0 }).optional(),
    anyway: params.flag.optional(),
  })
  .transform(({ media = [], credentialId = '', parentId = '', lastEntryId = '', anyway = false, ...rest }) => ({
    ...rest,
    media,
    credentialId,
    parentId,
    lastEntryId,
    anyway,
  }))
export type CarefulDraft = z.output<typeof checkedReplyDraft>
