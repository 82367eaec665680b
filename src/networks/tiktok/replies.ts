import type { Actor } from '../connector/connector.ts'
import { NetworkError, unsupported } from '../connector/connector.ts'
import type { Found, MediaRef, Receipt, Target } from '../connector/draft.ts'
import { rejectInvalidComment } from '../content/draft-check.ts'
import { readBytes } from '../http/network-http.ts'
import type { TikTokClient } from './client.ts'
import { isBadInput, isForbidden, numberIn, type Row, rowsIn, textIn, timeIn } from './client.ts'
import { manifest } from './manifest.ts'
import { postIdOf, videosOf } from './outcomes.ts'

export async function reply(
  client: TikTokClient,
  actor: Actor,
  { postId, commentId }: Target,
  text: string,
  media: readonly MediaRef[],
): Promise<Receipt> {
  rejectInvalidComment('TikTok', text, media)
  const videoId = await postIdOf(client, actor, postId)
  if (videoId === undefined) throw unsupported('TikTok', 'TikTok takes comments only under posts that are public.')
  const image = media[0] && (await uploadImage(client, actor, media[0]))
  const path = commentId === undefined ? 'business/comment/create' : 'business/comment/reply/create'
  const json = { video_id: videoId, comment_id: commentId, ...(text && { text }), ...image }
  const data = await client.post(actor, path, json, true)
  const remoteId = textIn(data, 'comment_id')
  if (remoteId === undefined) {
    throw new NetworkError('TikTok', { kind: 'unknownOutcome' }, 'TikTok took the comment but did not name it.')
  }
  return { remoteId, at: timeIn(data, 'create_time') ?? client.clock.now() }
}

export async function like(client: TikTokClient, actor: Actor, { commentId }: Target): Promise<void> {
  if (commentId === undefined) throw unsupported('TikTok', 'TikTok lets apps like comments, but not videos.')
  await client.post(actor, 'business/comment/like', { comment_id: commentId, action: 'LIKE' })
}

export async function remove(client: TikTokClient, actor: Actor, remoteId: string): Promise<void> {
  try {
    await client.post(actor, 'business/comment/delete', { comment_id: remoteId })
  } catch (error) {
    if (!isBadInput(error) && !isForbidden(error)) throw error
    // No such comment: it is gone, or it is a post.
    const [video] = await videosOf(client, actor, [], [remoteId])
    if (video) throw unsupported('TikTok', manifest.missing?.remove ?? '')
    if (isForbidden(error)) throw error
  }
}

async function uploadImage(client: TikTokClient, actor: Actor, image: MediaRef): Promise<object> {
  const bytes = await readBytes(image)
  const file = { bytes, mime: image.mime, name: image.name ?? image.id }
  const data = await client.send(actor, 'business/comment/image/upload', { image_file: file })
  return {
    image_uri: textIn(data, 'image_uri'),
    image_width: numberIn(data, 'width'),
    image_height: numberIn(data, 'height'),
  }
}

/** Looks up an own comment whose response was lost. */
export async function findReply(
  client: TikTokClient,
  actor: Actor,
  to: Target,
  text: string,
  since: Date,
): Promise<Found> {
  const root = await rootOf(client, actor, to)
  if (root === 'gone') return undecidable('The comment that was answered is gone')
  const comments = await ownSince(client, actor, to.postId, root, new Date(since.getTime() - 60_000))
  if (!comments) return undecidable('There are too many newer comments to look through')
  const [found, ...more] = comments.filter((comment) => (textIn(comment, 'text') ?? '').trim() === text.trim())
  if (!found) return { state: 'absent' }
  if (more.length > 0) return undecidable('There are several comments with these words')
  const at = timeIn(found, 'create_time') ?? client.clock.now()
  return { state: 'found', remoteId: textIn(found, 'comment_id') ?? '', at }
}

/** A reply to a reply belongs to the same top-level comment; undefined for a comment under the video itself. */
async function rootOf(client: TikTokClient, actor: Actor, to: Target): Promise<string | undefined | 'gone'> {
  if (to.commentId === undefined || to.rootCommentId !== undefined) return to.rootCommentId
  const comment = await fetchComment(client, actor, to.postId, to.commentId)
  return comment ? (textIn(comment, 'parent_comment_id') ?? to.commentId) : 'gone'
}

/** Undefined if there are more pages than the search limit. */
async function ownSince(
  client: TikTokClient,
  actor: Actor,
  postId: string,
  commentId: string | undefined,
  since: Date,
): Promise<Row[] | undefined> {
  const own: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < maximumPages; page += 1) {
    const found = await listThread(client, actor, postId, commentId, cursor)
    const newer = found.comments.filter((comment) => (timeIn(comment, 'create_time') ?? since) >= since)
    own.push(...newer.filter(({ owner }) => owner === true))
    cursor = found.cursor
    if (cursor === undefined || newer.length < found.comments.length) return own
  }
  return undefined
}

const undecidable = (why: string): Found => ({ state: 'undecidable', why: `${why}; look at the post on TikTok.` })

const maximumPages = 8

/** A page of a video's comments with their first replies, or of a comment's replies; newest first. */
export async function listThread(
  client: TikTokClient,
  actor: Actor,
  postId: string,
  commentId?: string,
  cursor?: string,
) {
  const common = { video_id: postId, max_count: 30, sort_field: 'create_time', sort_order: 'desc', cursor }
  const data =
    commentId === undefined
      ? await client.get(actor, 'business/comment/list', { ...common, include_replies: 'true' })
      : await client.get(actor, 'business/comment/reply/list', { ...common, comment_id: commentId })
  return { comments: rowsIn(data, 'comments'), cursor: data.has_more === true ? textIn(data, 'cursor') : undefined }
}

/** One comment, if it still exists. */
async function fetchComment(
  client: TikTokClient,
  actor: Actor,
  postId: string,
  commentId: string,
): Promise<Row | undefined> {
  const comment_ids = JSON.stringify([commentId])
  const data = await client.get(actor, 'business/comment/list', { video_id: postId, comment_ids })
  return rowsIn(data, 'comments').find((comment) => textIn(comment, 'comment_id') === commentId)
}
