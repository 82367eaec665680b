import type { Activity, Page } from '../connector/activity.ts'
import type { Actor } from '../connector/actor.ts'
import { badInput } from '../connector/fault.ts'
import { readJson } from '../wire/json.ts'
import type { TikTokCalls } from './calls.ts'
import { listThread } from './comments.ts'
import { listVideos, postIdOf, videoUrl } from './outcomes.ts'
import { numberIn, type Row, rowsIn, textIn, timeIn } from './refusals.ts'

/** A list that is still to be read: a video's comments, or a comment's replies, from somewhere on. */
type Unread = [postId: string, commentId: string, cursor: string]

export async function fetchComments(
  calls: TikTokCalls,
  actor: Actor,
  postId: string,
  cursor?: string,
): Promise<Page<Activity>> {
  if (cursor !== undefined) return readOn(calls, actor, unreadIn(cursor))
  const videoId = await postIdOf(calls, actor, postId)
  return videoId === undefined ? { items: [] } : readOn(calls, actor, [[videoId, '', '']])
}

/** The comments of the newest videos; TikTok has no list across videos. */
export async function fetchInbox(calls: TikTokCalls, actor: Actor, cursor?: string): Promise<Page<Activity>> {
  if (cursor !== undefined) return readOn(calls, actor, unreadIn(cursor))
  const { videos } = await listVideos(calls, actor, [])
  return readOn(
    calls,
    actor,
    videos.map((video) => [textIn(video, 'item_id') ?? '', '', '']),
  )
}

async function readOn(calls: TikTokCalls, actor: Actor, unread: Unread[]): Promise<Page<Activity>> {
  const items: Activity[] = []
  const left = unread.slice(listsPerPage)
  for (const [postId, commentId, from] of unread.slice(0, listsPerPage)) {
    const { comments, cursor } = await listThread(calls, actor, postId, commentId || undefined, from || undefined)
    for (const comment of comments) {
      const replies = rowsIn(comment, 'reply_list')
      items.push(...[comment, ...replies].map((row) => commentActivity(calls, actor, postId, row)))
      const more = !commentId && (numberIn(comment, 'replies') ?? 0) > replies.length
      if (more) left.push([postId, textIn(comment, 'comment_id') ?? '', ''])
    }
    if (cursor !== undefined) left.push([postId, commentId, cursor])
  }
  const newestFirst = items.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  return { items: newestFirst, cursor: left.length > 0 ? JSON.stringify(left.slice(0, mostUnread)) : undefined }
}

function commentActivity(calls: TikTokCalls, actor: Actor, postId: string, comment: Row): Activity {
  const { reply_list: _, ...raw } = comment
  const id = textIn(comment, 'comment_id') ?? ''
  const parentCommentId = textIn(comment, 'parent_comment_id')
  const image = textIn(comment, 'image_url')
  const said = parentCommentId === undefined ? 'comment' : 'reply'
  return {
    dedupeKey: `comment:${id}`,
    kind: comment.owner === true ? 'echo' : said,
    actorRemoteId: actor.remoteId,
    remoteId: id,
    from: {
      id: textIn(comment, 'unique_identifier') ?? textIn(comment, 'user_id') ?? '',
      name: textIn(comment, 'display_name'),
      username: textIn(comment, 'username'),
      picture: textIn(comment, 'profile_image'),
    },
    postId,
    parentCommentId,
    text: textIn(comment, 'text') ?? '',
    media: image === undefined ? undefined : [image],
    url: videoUrl(calls, actor, postId),
    at: timeIn(comment, 'create_time') ?? calls.clock.now(),
    raw,
  }
}

function unreadIn(cursor: string): Unread[] {
  const value = readJson(cursor)
  const isUnread = (entry: unknown): entry is Unread =>
    Array.isArray(entry) && entry.length === 3 && entry.every((part) => typeof part === 'string')
  if (!Array.isArray(value) || !value.every(isUnread))
    throw badInput('TikTok', 'The cursor is not one of ours.', 'cursor')
  return value
}

const listsPerPage = 4
// Keeps the cursor small; what falls off is read with the post itself.
const mostUnread = 100
