import type { Json } from '../wire/json.ts'

// Type aliases and not interfaces, so that they are JSON to the compiler.

export type Video = {
  id?: string
  snippet?: { title?: string; publishedAt?: string }
  status?: { uploadStatus?: string; failureReason?: string; rejectionReason?: string; privacyStatus?: string }
  statistics?: { viewCount?: string; likeCount?: string; commentCount?: string }
}

export type VideoStat = {
  id?: string
  statistics?: { viewCount?: string; likeCount?: string; commentCount?: string }
}

export type Channel = {
  id?: string
  snippet?: { title?: string; customUrl?: string; thumbnails?: { default?: { url?: string } } }
  contentDetails?: { relatedPlaylists?: { uploads?: string } }
  statistics?: { subscriberCount?: string; hiddenSubscriberCount?: boolean }
}

export type PlaylistItem = {
  snippet?: { title?: string; description?: string; publishedAt?: string; resourceId?: { videoId?: string } }
}

export type Comment = {
  id?: string
  snippet?: {
    videoId?: string
    parentId?: string
    textOriginal?: string
    textDisplay?: string
    authorDisplayName?: string
    authorChannelId?: { value?: string }
    authorProfileImageUrl?: string
    publishedAt?: string
  }
}

export type CommentThread = {
  id?: string
  snippet?: { videoId?: string; topLevelComment?: Comment; totalReplyCount?: number }
  replies?: { comments?: Comment[] }
}

/** A thing exactly as it was received, for keeping. */
export const asJson = (thing: object) => thing as Json
