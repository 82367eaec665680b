import type { Actor } from '../connector/actor.ts'
import { profileRules } from '../connector/connector.ts'
import type { Correspondent, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitComment, refuseUnfitMessage } from '../content/draft-check.ts'
import { idIn, type XCalls } from './calls.ts'
import { manifest } from './manifest.ts'
import { createPost } from './publishing.ts'
import { uploadNow } from './uploads.ts'

/** On X an answer is a post, and a first comment an answer to oneself. */
export async function reply(
  calls: XCalls,
  actor: Actor,
  to: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitComment('Twitter', text, media, profileRules(manifest, calls.app, actor))
  const ids = await uploadNow(calls, actor, media, 'tweet')
  return createPost(calls, actor, text, ids, to.commentId ?? to.postId)
}

export async function like(calls: XCalls, actor: Actor, to: Target): Promise<void> {
  const json = { tweet_id: to.commentId ?? to.postId }
  await calls.as(actor, { method: 'POST', path: `/users/${actor.remoteId}/likes`, json })
}

export async function remove(calls: XCalls, actor: Actor, remoteId: string): Promise<void> {
  try {
    await calls.as(actor, { method: 'DELETE', path: `/tweets/${encodeURIComponent(remoteId)}` })
  } catch (error) {
    const fault = error instanceof NetworkError ? error.fault : undefined
    if (fault?.kind !== 'permanent' || fault.why !== 'gone') throw error
  }
}

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
