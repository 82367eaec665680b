import { type ApiRequest, nestedText, numberOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { idFormats, limits } from '../manifests.ts'
import { newestFirst, recordAction, removeItem } from '../state/items.ts'
import type { Item } from '../state/rows.ts'
import { refuse, requireChannel } from './access.ts'
import { commentShape, threadShape } from './shapes.ts'

/** POST /commentThreads: a comment on a video. */
export function createThread(request: ApiRequest): ApiResponse {
  const owner = requireChannel(request, 'youtube.force-ssl')
  const video = request.state.items.live('YouTube', nestedText(request, 'snippet', 'videoId') ?? '')
  if (video?.kind !== 'post') refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.commentThread')
  const text = requireText(nestedText(request, 'snippet', 'topLevelComment', 'snippet', 'textOriginal'))
  const id = idFormats.YouTube.comment(video, video)
  const comment = recordAction(request.state, owner, {
    id,
    kind: 'comment',
    postId: video.id,
    parentId: video.id,
    text,
  })
  return json(threadShape(request, comment))
}

/** POST /comments: a reply to a top-level comment. */
export function createReply(request: ApiRequest): ApiResponse {
  const owner = requireChannel(request, 'youtube.force-ssl')
  const parent = request.state.items.live('YouTube', nestedText(request, 'snippet', 'parentId') ?? '')
  if (parent?.kind !== 'comment' || parent.parentId !== parent.postId) {
    refuse(404, 'parentCommentNotFound', 'The parent comment cannot be found.', 'youtube.comment')
  }
  const text = requireText(nestedText(request, 'snippet', 'textOriginal'))
  const video = request.state.items.get(`YouTube:${parent.postId}`) ?? parent
  const id = idFormats.YouTube.comment(video, parent)
  const reply = recordAction(request.state, owner, { id, kind: 'comment', postId: video.id, parentId: parent.id, text })
  return json(commentShape(request, reply))
}

/** GET /commentThreads of a video, of the channel, or by id; newest first. */
export function listThreads(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.force-ssl', 'youtube.readonly')
  const videoId = textOf(request, 'videoId')
  const channelId = textOf(request, 'allThreadsRelatedToChannelId')
  const ids = textOf(request, 'id')
  const isTop = (item: Item) => item.kind === 'comment' && item.parentId === item.postId
  if (videoId !== undefined) {
    const video = request.state.items.live('YouTube', videoId)
    if (!video) refuse(404, 'videoNotFound', 'The video cannot be found.', 'youtube.commentThread')
    return paged(request, newestFirst(request.state.items.childrenOf(video, 'comment')), 'Thread')
  }
  if (ids !== undefined) return paged(request, byId(request, ids), 'Thread')
  if (channelId === undefined) refuse(400, 'missingRequiredParameter', 'Name a video, a channel or ids.', 'global')
  const videos = request.state.items.ofProfile('YouTube', channelId, 'post')
  const found = videos.flatMap((video) => request.state.items.inConversation(video)).filter(isTop)
  // Reversed first, so that comments of the same millisecond are newest first.
  const sorted = found.reverse().sort((left, right) => right.at - left.at)
  return paged(request, sorted, 'Thread')
}

/** GET /comments?parentId= or ?id=. */
export function listReplies(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.force-ssl', 'youtube.readonly')
  const parent = request.state.items.live('YouTube', textOf(request, 'parentId') ?? '')
  return paged(
    request,
    parent ? request.state.items.childrenOf(parent, 'comment') : byId(request, textOf(request, 'id') ?? ''),
    '',
  )
}

export function deleteComment(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.force-ssl')
  const comment = request.state.items.live('YouTube', textOf(request, 'id') ?? '')
  if (comment?.kind !== 'comment') refuse(404, 'commentNotFound', 'The comment cannot be found.', 'youtube.comment')
  removeItem(request.state, comment)
  return { status: 204 }
}

export function moderate(request: ApiRequest): ApiResponse {
  requireChannel(request, 'youtube.force-ssl')
  const hidden = textOf(request, 'moderationStatus') !== 'published'
  for (const comment of byId(request, textOf(request, 'id') ?? '')) request.state.items.change(comment, { hidden })
  return { status: 204 }
}

function byId(request: ApiRequest, ids: string): Item[] {
  return ids
    .split(',')
    .map((id) => request.state.items.live('YouTube', id))
    .filter((item) => item !== undefined)
}

function requireText(text: string | undefined): string {
  if (!text?.trim()) refuse(400, 'commentTextRequired', 'The comment has no text.', 'youtube.comment')
  if (text.length > limits.YouTube.comment)
    refuse(400, 'commentTextTooLong', 'The comment is too long.', 'youtube.comment')
  return text
}

function paged(request: ApiRequest, items: Item[], kind: 'Thread' | ''): ApiResponse {
  const size = Math.min(numberOf(request, 'maxResults') ?? 20, 100)
  const from = Number(textOf(request, 'pageToken') ?? 0)
  const part = items.slice(from, from + size)
  const shape = kind === 'Thread' ? threadShape : commentShape
  return json({
    kind: `youtube#comment${kind}ListResponse`,
    pageInfo: { totalResults: items.length, resultsPerPage: size },
    ...(from + size < items.length ? { nextPageToken: String(from + size) } : {}),
    items: part.map((item) => shape(request, item)),
  })
}
