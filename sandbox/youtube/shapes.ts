import { isReady, mediaOf } from '../behaviour/media.ts'
import { followersOf, metricsOf } from '../behaviour/metrics.ts'
import { type ApiRequest, textOf } from '../http/request.ts'
import type { Item, Profile } from '../state/rows.ts'

const iso = (at: number) => new Date(at).toISOString()

/** The parts of a resource requested by `part=`. */
export function selectParts(request: ApiRequest, fixed: Record<string, unknown>, all: Record<string, unknown>) {
  const requested = (textOf(request, 'part') ?? 'snippet').split(',').map((name) => name.trim())
  return { ...fixed, ...Object.fromEntries(Object.entries(all).filter(([name]) => requested.includes(name))) }
}

export function videoShape(request: ApiRequest, video: Item) {
  const { views, likes, comments } = metricsOf(request.state, video)
  const media = mediaOf(request.state, 'YouTube', video.id)
  const ready = !request.notReady && (media === undefined || isReady(request, media))
  const uploadStatus = !ready ? 'uploaded' : video.extra?.rejected ? 'rejected' : media?.failed ? 'failed' : 'processed'
  const snippet = (video.extra?.snippet ?? {}) as object
  return selectParts(
    request,
    { kind: 'youtube#video', etag: video.id, id: video.id },
    {
      snippet: {
        ...snippet,
        publishedAt: iso(video.at),
        channelId: video.profile,
        channelTitle: video.from.name,
        title: video.title,
        description: video.text,
        thumbnails: { default: { url: `${request.origin}/media/${media?.sha256}`, width: 120, height: 90 } },
      },
      status: {
        uploadStatus: uploadStatus,
        privacyStatus: video.extra?.privacyStatus,
        license: 'youtube',
        embeddable: true,
        ...(uploadStatus === 'rejected' ? { rejectionReason: video.extra?.rejected } : {}),
        ...(uploadStatus === 'failed' ? { failureReason: media?.failed } : {}),
      },
      processingDetails: {
        processingStatus: ready ? (uploadStatus === 'processed' ? 'succeeded' : 'failed') : 'processing',
      },
      statistics: {
        viewCount: String(views),
        likeCount: String(likes),
        favoriteCount: '0',
        commentCount: String(comments),
      },
      contentDetails: { duration: `PT${Math.ceil(media?.seconds ?? 0)}S`, definition: 'hd' },
    },
  )
}

/** Statistics in the format of videos.batchGetStats. */
export function statShape(request: ApiRequest, video: Item) {
  const { views, likes, comments } = metricsOf(request.state, video)
  return selectParts(
    request,
    { kind: 'youtube#videoStats', etag: video.id, id: video.id },
    {
      snippet: { publishTime: iso(video.at) },
      statistics: { viewCount: String(views), likeCount: String(likes), commentCount: String(comments) },
    },
  )
}

export function channelShape(request: ApiRequest, channel: Profile) {
  const videos = request.state.items.ofProfile('YouTube', channel.id, 'post')
  const views = videos.reduce((total, video) => total + metricsOf(request.state, video).views, 0)
  return selectParts(
    request,
    { kind: 'youtube#channel', etag: channel.id, id: channel.id },
    {
      snippet: {
        title: channel.name,
        description: '',
        customUrl: `@${channel.username}`,
        publishedAt: iso(channel.createdAt),
        thumbnails: { default: { url: `${request.origin}/youtube/profiles/${channel.id}/picture` } },
      },
      contentDetails: { relatedPlaylists: { uploads: `UU${channel.id.slice(2)}` } },
      statistics: {
        viewCount: String(views),
        subscriberCount: String(rounded(followersOf(request.state, channel))),
        hiddenSubscriberCount: false,
        videoCount: String(videos.length),
      },
    },
  )
}

export function commentShape(request: ApiRequest, comment: Item) {
  const isReply = comment.parentId !== comment.postId
  return {
    kind: 'youtube#comment',
    etag: comment.id,
    id: comment.id,
    snippet: {
      channelId: comment.own ? comment.profile : request.state.items.get(`YouTube:${comment.postId}`)?.profile,
      videoId: comment.postId,
      textDisplay: comment.text,
      textOriginal: comment.text,
      authorDisplayName: comment.from.username ? `@${comment.from.username}` : comment.from.name,
      authorChannelId: { value: comment.from.id },
      authorProfileImageUrl: `${request.origin}/youtube/profiles/${comment.from.id}/picture`,
      canRate: true,
      viewerRating: 'none',
      likeCount: request.state.items.childrenOf(comment, 'like').length,
      publishedAt: iso(comment.at),
      updatedAt: iso(comment.updatedAt ?? comment.at),
      ...(isReply ? { parentId: comment.parentId } : {}),
    },
  }
}

export function threadShape(request: ApiRequest, comment: Item) {
  const replies = request.state.items.childrenOf(comment, 'comment')
  return selectParts(
    request,
    { kind: 'youtube#commentThread', etag: comment.id, id: comment.id },
    {
      snippet: {
        channelId: request.state.items.get(`YouTube:${comment.postId}`)?.profile,
        videoId: comment.postId,
        topLevelComment: commentShape(request, comment),
        canReply: true,
        totalReplyCount: replies.length,
        isPublic: !comment.hidden,
      },
      // Includes the first replies only.
      replies: replies.length
        ? { comments: replies.slice(0, 5).map((reply) => commentShape(request, reply)) }
        : undefined,
    },
  )
}

/** YouTube rounds subscriber counts to three digits. */
function rounded(count: number): number {
  const unit = 10 ** Math.max(0, String(count).length - 3)
  return Math.floor(count / unit) * unit
}
