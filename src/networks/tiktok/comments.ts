import type { Actor } from '../connector/actor.ts'
import type { MediaRef, Receipt, Target } from '../connector/draft.ts'
import { NetworkError, unsupported } from '../connector/fault.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import { readBytes } from '../wire/media-bytes.ts'
import type { TikTokCalls } from './calls.ts'
import { manifest } from './manifest.ts'
import { postIdOf } from './outcomes.ts'
import { isBadInput, isForbidden } from './refusals.ts'
import { numberIn, textIn, timeIn } from './row.ts'
import { videosOf } from './videos.ts'

export async function reply(
  calls: TikTokCalls,
  actor: Actor,
  { postId, commentId }: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  refuseUnfitComment('TikTok', text, media)
  const videoId = await postIdOf(calls, actor, postId)
  if (videoId === undefined) throw unsupported('TikTok', 'TikTok takes comments only under posts that are public.')
  const image = media[0] && (await uploadImage(calls, actor, media[0]))
  const path = commentId === undefined ? 'business/comment/create' : 'business/comment/reply/create'
  const json = { video_id: videoId, comment_id: commentId, ...(text && { text }), ...image }
  const data = await calls.post(actor, path, json, true)
  const remoteId = textIn(data, 'comment_id')
  if (remoteId === undefined) {
    throw new NetworkError('TikTok', { kind: 'unknownOutcome' }, 'TikTok took the comment but did not name it.')
  }
  return { remoteId, at: timeIn(data, 'create_time') ?? calls.clock.now() }
}

export async function like(calls: TikTokCalls, actor: Actor, { commentId }: Target): Promise<void> {
  if (commentId === undefined) throw unsupported('TikTok', 'TikTok lets apps like comments, but not videos.')
  await calls.post(actor, 'business/comment/like', { comment_id: commentId, action: 'LIKE' })
}

export async function remove(calls: TikTokCalls, actor: Actor, remoteId: string): Promise<void> {
  try {
    await calls.post(actor, 'business/comment/delete', { comment_id: remoteId })
  } catch (error) {
    if (!isBadInput(error) && !isForbidden(error)) throw error
    // No such comment: it is gone, or it is a post.
    const [video] = await videosOf(calls, actor, [], [remoteId])
    if (video) throw unsupported('TikTok', manifest.missing?.remove ?? '')
    if (isForbidden(error)) throw error
  }
}

async function uploadImage(calls: TikTokCalls, actor: Actor, image: MediaRef): Promise<object> {
  const bytes = await readBytes(image)
  const file = { bytes, mime: image.mime, name: image.name ?? image.id }
  const data = await calls.send(actor, 'business/comment/image/upload', { image_file: file })
  return {
    image_uri: textIn(data, 'image_uri'),
    image_width: numberIn(data, 'width'),
    image_height: numberIn(data, 'height'),
  }
}
