import type { Actor } from '../connector/actor.ts'
import type { Found, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { NetworkError, unsupported } from '../connector/fault.ts'
import { refuseUnfitComment } from '../content/draft-check.ts'
import { readBytes } from '../wire/network-http.ts'
import type { TikTokCalls } from './calls.ts'
import { manifest } from './manifest.ts'
import { postIdOf, videosOf } from './outcomes.ts'
import { isBadInput, isForbidden, numberIn, type Row, rowsIn, textIn, timeIn } from './refusals.ts'

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

/** Searches for a comment of our own whose answer got lost. */
export async function findReply(
  calls: TikTokCalls,
  actor: Actor,
  to: Target,
  text: string,
  since: Date,
): Promise<Found> {
  const root = await rootOf(calls, actor, to)
  if (root === 'gone') return undecidable('The comment that was answered is gone')
  const said = await ownSince(calls, actor, to.postId, root, new Date(since.getTime() - 60_000))
  if (!said) return undecidable('There are too many newer comments to look through')
  const [found, ...more] = said.filter((comment) => (textIn(comment, 'text') ?? '').trim() === text.trim())
  if (!found) return { state: 'absent' }
  if (more.length > 0) return undecidable('There are several comments with these words')
  const at = timeIn(found, 'create_time') ?? calls.clock.now()
  return { state: 'found', remoteId: textIn(found, 'comment_id') ?? '', at }
}

/** A reply to a reply stands under the same top-level comment; nothing for a comment under the video itself. */
async function rootOf(calls: TikTokCalls, actor: Actor, to: Target): Promise<string | undefined | 'gone'> {
  if (to.commentId === undefined || to.rootCommentId !== undefined) return to.rootCommentId
  const comment = await fetchComment(calls, actor, to.postId, to.commentId)
  return comment ? (textIn(comment, 'parent_comment_id') ?? to.commentId) : 'gone'
}

/** Nothing when there are more than could be looked through. */
async function ownSince(
  calls: TikTokCalls,
  actor: Actor,
  postId: string,
  commentId: string | undefined,
  since: Date,
): Promise<Row[] | undefined> {
  const own: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const found = await listThread(calls, actor, postId, commentId, cursor)
    const newer = found.comments.filter((comment) => (timeIn(comment, 'create_time') ?? since) >= since)
    own.push(...newer.filter(({ owner }) => owner === true))
    cursor = found.cursor
    if (cursor === undefined || newer.length < found.comments.length) return own
  }
  return undefined
}

const undecidable = (why: string): Found => ({ state: 'undecidable', why: `${why}; look at the post on TikTok.` })

const mostPages = 8

/** A page of the comments under a video, each with its first replies, or of the replies under a comment; newest first. */
export async function listThread(
  calls: TikTokCalls,
  actor: Actor,
  postId: string,
  commentId?: string,
  cursor?: string,
) {
  const common = { video_id: postId, max_count: 30, sort_field: 'create_time', sort_order: 'desc', cursor }
  const data =
    commentId === undefined
      ? await calls.get(actor, 'business/comment/list', { ...common, include_replies: 'true' })
      : await calls.get(actor, 'business/comment/reply/list', { ...common, comment_id: commentId })
  return { comments: rowsIn(data, 'comments'), cursor: data.has_more === true ? textIn(data, 'cursor') : undefined }
}

/** One comment, if it still stands. */
async function fetchComment(
  calls: TikTokCalls,
  actor: Actor,
  postId: string,
  commentId: string,
): Promise<Row | undefined> {
  const comment_ids = JSON.stringify([commentId])
  const data = await calls.get(actor, 'business/comment/list', { video_id: postId, comment_ids })
  return rowsIn(data, 'comments').find((comment) => textIn(comment, 'comment_id') === commentId)
}
