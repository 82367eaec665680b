import { isReady, mediaOf } from '../behaviour/media.ts'
import { followersOf, numbersOf } from '../behaviour/metrics.ts'
import type { Call } from '../http/request.ts'
import { textOf } from '../http/request.ts'
import type { Item, Profile } from '../state/rows.ts'

const iso = (at: number) => new Date(at).toISOString()

/** The parts of a resource that `part=` names. */
export function parts(call: Call, fixed: Record<string, unknown>, all: Record<string, unknown>) {
  const asked = (textOf(call, 'part') ?? 'snippet').split(',').map((name) => name.trim())
  return { ...fixed, ...Object.fromEntries(Object.entries(all).filter(([name]) => asked.includes(name))) }
}

export function videoShape(call: Call, video: Item) {
  const { views, likes, comments } = numbersOf(call.world, video)
  const media = mediaOf(call.world, 'YouTube', video.id)
  const ready = !call.notReady && (media === undefined || isReady(call, media))
  const fate = !ready ? 'uploaded' : video.extra?.rejected ? 'rejected' : media?.failed ? 'failed' : 'processed'
  const snippet = (video.extra?.snippet ?? {}) as object
  return parts(
    call,
    { kind: 'youtube#video', etag: video.id, id: video.id },
    {
      snippet: {
        ...snippet,
        publishedAt: iso(video.at),
        channelId: video.profile,
        channelTitle: video.from.name,
        title: video.title,
        description: video.text,
        thumbnails: { default: { url: `${call.origin}/media/${media?.sha256}`, width: 120, height: 90 } },
      },
      status: {
        uploadStatus: fate,
        privacyStatus: video.extra?.privacyStatus,
        license: 'youtube',
        embeddable: true,
        ...(fate === 'rejected' ? { rejectionReason: video.extra?.rejected } : {}),
        ...(fate === 'failed' ? { failureReason: media?.failed } : {}),
      },
      processingDetails: { processingStatus: ready ? (fate === 'processed' ? 'succeeded' : 'failed') : 'processing' },
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

/** A video's numbers, as videos.batchGetStats tells them. */
export function statShape(call: Call, video: Item) {
  const { views, likes, comments } = numbersOf(call.world, video)
  return parts(
    call,
    { kind: 'youtube#videoStats', etag: video.id, id: video.id },
    {
      snippet: { publishTime: iso(video.at) },
      statistics: { viewCount: String(views), likeCount: String(likes), commentCount: String(comments) },
    },
  )
}

export function channelShape(call: Call, channel: Profile) {
  const videos = call.world.items.ofProfile('YouTube', channel.id, 'post')
  const views = videos.reduce((total, video) => total + numbersOf(call.world, video).views, 0)
  return parts(
    call,
    { kind: 'youtube#channel', etag: channel.id, id: channel.id },
    {
      snippet: {
        title: channel.name,
        description: '',
        customUrl: `@${channel.username}`,
        publishedAt: iso(channel.createdAt),
        thumbnails: { default: { url: `${call.origin}/youtube/profiles/${channel.id}/picture` } },
      },
      contentDetails: { relatedPlaylists: { uploads: `UU${channel.id.slice(2)}` } },
      statistics: {
        viewCount: String(views),
        subscriberCount: String(rounded(followersOf(call.world, channel))),
        hiddenSubscriberCount: false,
        videoCount: String(videos.length),
      },
    },
  )
}

export function commentShape(call: Call, comment: Item) {
  const isAnswer = comment.parentId !== comment.postId
  return {
    kind: 'youtube#comment',
    etag: comment.id,
    id: comment.id,
    snippet: {
      channelId: comment.own ? comment.profile : call.world.items.get(`YouTube:${comment.postId}`)?.profile,
      videoId: comment.postId,
      textDisplay: comment.text,
      textOriginal: comment.text,
      authorDisplayName: comment.from.username ? `@${comment.from.username}` : comment.from.name,
      authorChannelId: { value: comment.from.id },
      authorProfileImageUrl: `${call.origin}/youtube/profiles/${comment.from.id}/picture`,
      canRate: true,
      viewerRating: 'none',
      likeCount: call.world.items.under(comment, 'like').length,
      publishedAt: iso(comment.at),
      updatedAt: iso(comment.updatedAt ?? comment.at),
      ...(isAnswer ? { parentId: comment.parentId } : {}),
    },
  }
}

export function threadShape(call: Call, comment: Item) {
  const replies = call.world.items.under(comment, 'comment')
  return parts(
    call,
    { kind: 'youtube#commentThread', etag: comment.id, id: comment.id },
    {
      snippet: {
        channelId: call.world.items.get(`YouTube:${comment.postId}`)?.profile,
        videoId: comment.postId,
        topLevelComment: commentShape(call, comment),
        canReply: true,
        totalReplyCount: replies.length,
        isPublic: !comment.hidden,
      },
      // Only the first few ride along; the rest must be asked for.
      replies: replies.length ? { comments: replies.slice(0, 5).map((reply) => commentShape(call, reply)) } : undefined,
    },
  )
}

/** YouTube shows three digits of a channel's subscribers. */
function rounded(count: number): number {
  const unit = 10 ** Math.max(0, String(count).length - 3)
  return Math.floor(count / unit) * unit
}
