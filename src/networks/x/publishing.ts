import type { Actor } from '../connector/actor.ts'
import { profileRules } from '../connector/connector.ts'
import type { Checkpoint, Draft, Progress, Receipt, Step } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import { idIn, postUrl, type XCalls } from './calls.ts'
import { manifest, postText } from './manifest.ts'
import { mediaRefused } from './refusals.ts'
import { isAlive, type Upload, upload, waitFor } from './uploads.ts'

export async function publish(
  calls: XCalls,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  refuseUnfitPost('Twitter', draft, profileRules(manifest, calls.app, actor))
  const uploads = await sendMedia(calls, actor, draft, save, progress)
  const waits = await Promise.all(uploads.map((sent) => waitFor(calls, actor, sent)))
  const wait = Math.max(0, ...waits.map((ms) => ms ?? 0))
  if (wait > 0) return pending(uploads, wait)
  await save({ stage: 'committing', uploads })
  try {
    const media = uploads.map(({ id }) => id)
    return { state: 'done', ...(await createPost(calls, actor, postText(draft), media)) }
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.code !== mediaRefused) throw error
    return pending(
      uploads.map((sent) => ({ ...sent, ready: false })),
      notReadyMs,
    )
  }
}

const notReadyMs = 5000

/** The one call that makes a post, or an answer to one. */
export async function createPost(
  calls: XCalls,
  actor: Actor,
  text: string,
  mediaIds: readonly string[],
  answersTo?: string,
): Promise<Receipt> {
  const json = {
    text,
    ...(mediaIds.length > 0 && { media: { media_ids: mediaIds } }),
    ...(answersTo !== undefined && { reply: { in_reply_to_tweet_id: answersTo } }),
  }
  const answer = await calls.as(actor, { method: 'POST', path: '/tweets', json, irreversible: true })
  const remoteId = idIn(answer, 'id', 'unknownOutcome')
  return { remoteId, remoteUrl: postUrl(calls, actor.username, remoteId), at: calls.installation.clock.now() }
}

/** The files a progress speaks of, as far as X still has them. */
export function uploadsIn(progress: Progress | undefined): Upload[] {
  return Array.isArray(progress?.uploads) ? (progress.uploads as Upload[]) : []
}

async function sendMedia(calls: XCalls, actor: Actor, draft: Draft, save: Checkpoint, progress?: Progress) {
  const known = uploadsIn(progress)
  const now = calls.installation.clock.now()
  const uploads = known.every((sent) => isAlive(sent, now)) ? [...known] : []
  for (const [index, media] of draft.media.entries()) {
    const keep = (sent: Upload) => {
      uploads[index] = sent
      return save({ stage: 'uploading', uploads: [...uploads] })
    }
    uploads[index] = await upload(calls, actor, media, 'tweet', keep, uploads[index])
  }
  return uploads
}

const pending = (uploads: Upload[], checkAfterMs: number): Step => ({
  state: 'pending',
  progress: { stage: 'processing', uploads },
  checkAfterMs,
})
