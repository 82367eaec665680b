import type { Call } from '../http/request.ts'
import { deepText, numberOf, textOf } from '../http/request.ts'
import { type Answer, json } from '../http/response.ts'
import { limits, names } from '../manifests.ts'
import { newestFirst, record, remove } from '../state/items.ts'
import type { Item } from '../state/rows.ts'
import { channel, refuse } from './access.ts'
import { commentShape, threadShape } from './shapes.ts'

/** POST /commentThreads: a comment under a video. */
export function createThread(call: Call): Answer {
  const owner = channel(call, 'youtube.force-ssl')
  const video = call.world.items.live('YouTube', deepText(call, 'snippet', 'videoId') ?? '')
  if (video?.kind !== 'post') refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.commentThread')
  const text = words(deepText(call, 'snippet', 'topLevelComment', 'snippet', 'textOriginal'))
  const id = names.YouTube.comment(video, video)
  const comment = record(call.world, owner, { id, kind: 'comment', postId: video.id, parentId: video.id, text })
  return json(threadShape(call, comment))
}

/** POST /comments: an answer to a top-level comment. */
export function createReply(call: Call): Answer {
  const owner = channel(call, 'youtube.force-ssl')
  const parent = call.world.items.live('YouTube', deepText(call, 'snippet', 'parentId') ?? '')
  if (parent?.kind !== 'comment' || parent.parentId !== parent.postId) {
    refuse(404, 'parentCommentNotFound', 'The parent comment cannot be found.', 'youtube.comment')
  }
  const text = words(deepText(call, 'snippet', 'textOriginal'))
  const video = call.world.items.get(`YouTube:${parent.postId}`) ?? parent
  const id = names.YouTube.comment(video, parent)
  const reply = record(call.world, owner, { id, kind: 'comment', postId: video.id, parentId: parent.id, text })
  return json(commentShape(call, reply))
}

/** GET /commentThreads of a video, of the channel, or by id; newest first. */
export function listThreads(call: Call): Answer {
  channel(call, 'youtube.force-ssl', 'youtube.readonly')
  const videoId = textOf(call, 'videoId')
  const channelId = textOf(call, 'allThreadsRelatedToChannelId')
  const ids = textOf(call, 'id')
  const isTop = (item: Item) => item.kind === 'comment' && item.parentId === item.postId
  if (videoId !== undefined) {
    const video = call.world.items.live('YouTube', videoId)
    if (!video) refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.commentThread')
    return paged(call, newestFirst(call.world.items.under(video, 'comment')), 'Thread')
  }
  if (ids !== undefined) return paged(call, byId(call, ids), 'Thread')
  if (channelId === undefined) refuse(400, 'missingRequiredParameter', 'Name a video, a channel or ids.', 'global')
  const videos = call.world.items.ofProfile('YouTube', channelId, 'post')
  const found = videos.flatMap((video) => call.world.items.inConversation(video)).filter(isTop)
  // Of two that came in the same millisecond the later one first.
  const sorted = found.reverse().sort((left, right) => right.at - left.at)
  return paged(call, sorted, 'Thread')
}

/** GET /comments?parentId= or ?id=. */
export function listReplies(call: Call): Answer {
  channel(call, 'youtube.force-ssl', 'youtube.readonly')
  const parent = call.world.items.live('YouTube', textOf(call, 'parentId') ?? '')
  return paged(call, parent ? call.world.items.under(parent, 'comment') : byId(call, textOf(call, 'id') ?? ''), '')
}

export function deleteComment(call: Call): Answer {
  channel(call, 'youtube.force-ssl')
  const comment = call.world.items.live('YouTube', textOf(call, 'id') ?? '')
  if (comment?.kind !== 'comment') refuse(404, 'commentNotFound', 'The comment cannot be found.', 'youtube.comment')
  remove(call.world, comment)
  return { status: 204 }
}

export function moderate(call: Call): Answer {
  channel(call, 'youtube.force-ssl')
  const hidden = textOf(call, 'moderationStatus') !== 'published'
  for (const comment of byId(call, textOf(call, 'id') ?? '')) call.world.items.change(comment, { hidden })
  return { status: 204 }
}

function byId(call: Call, ids: string): Item[] {
  return ids
    .split(',')
    .map((id) => call.world.items.live('YouTube', id))
    .filter((item) => item !== undefined)
}

function words(text: string | undefined): string {
  if (!text?.trim()) refuse(400, 'commentTextRequired', 'The comment has no text.', 'youtube.comment')
  if (text.length > limits.YouTube.comment)
    refuse(400, 'commentTextTooLong', 'The comment is too long.', 'youtube.comment')
  return text
}

function paged(call: Call, items: Item[], kind: 'Thread' | ''): Answer {
  const size = Math.min(numberOf(call, 'maxResults') ?? 20, 100)
  const from = Number(textOf(call, 'pageToken') ?? 0)
  const part = items.slice(from, from + size)
  const shape = kind === 'Thread' ? threadShape : commentShape
  return json({
    kind: `youtube#comment${kind}ListResponse`,
    pageInfo: { totalResults: items.length, resultsPerPage: size },
    ...(from + size < items.length ? { nextPageToken: String(from + size) } : {}),
    items: part.map((item) => shape(call, item)),
  })
}
