import type { Actor } from '../connector/actor.ts'
import { profileRules } from '../connector/connector.ts'
import type { MediaRef, Receipt, Target } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import type { XCalls } from './calls.ts'
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
