import type { Actor } from '../connector/actor.ts'
import type { TikTokCalls } from './calls.ts'
import { type Row, rowsIn, textIn } from './row.ts'

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
export async function fetchComment(
  calls: TikTokCalls,
  actor: Actor,
  postId: string,
  commentId: string,
): Promise<Row | undefined> {
  const comment_ids = JSON.stringify([commentId])
  const data = await calls.get(actor, 'business/comment/list', { video_id: postId, comment_ids })
  return rowsIn(data, 'comments').find((comment) => textIn(comment, 'comment_id') === commentId)
}
