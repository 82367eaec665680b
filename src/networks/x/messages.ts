import type { Actor } from '../connector/actor.ts'
import { profileRules } from '../connector/connector.ts'
import type { Correspondent, MediaRef, Receipt } from '../connector/draft.ts'
import { refuseUnfitMessage } from '../content/draft-check.ts'
import { idIn, type XCalls } from './calls.ts'
import { manifest } from './manifest.ts'
import { uploadNow } from './uploads.ts'

/** What is asked of every message. */
export const messageQuery = {
  event_types: 'MessageCreate',
  'dm_event.fields': 'id,text,created_at,dm_conversation_id,attachments,entities',
  expansions: 'sender_id,attachments.media_keys',
  'user.fields': 'name,username,profile_image_url',
  'media.fields': 'url,preview_image_url',
}

export async function message(
  calls: XCalls,
  actor: Actor,
  to: Correspondent,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitMessage('Twitter', text, media, profileRules(manifest, calls.app, actor))
  const ids = await uploadNow(calls, actor, media, 'dm')
  const json = {
    ...(text !== '' && { text }),
    ...(ids.length > 0 && { attachments: ids.map((id) => ({ media_id: id })) }),
  }
  const path = `${conversationPath(to)}/messages`
  const answer = await calls.as(actor, { method: 'POST', path, json, irreversible: true })
  return { remoteId: idIn(answer, 'dm_event_id', 'unknownOutcome'), at: calls.installation.clock.now() }
}

/** A conversation has an id of its own once it has begun. */
export const conversationPath = ({ personId, threadId }: Correspondent) =>
  `/dm_conversations/${encodeURIComponent(threadId ?? '') || `with/${encodeURIComponent(personId)}`}`
