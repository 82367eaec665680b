import { watchedBoards } from '#areas/advocacy/board/board-row.ts'
import { watchedStories } from '#areas/advocacy/story/story-row.ts'
import { watchedTopics } from '#areas/advocacy/topic/topic.ts'
import { watchedDashboards } from '#areas/analytics/dashboard/dashboard-row.ts'
import { watchedItems } from '#areas/approval/item/item.ts'
import { watchedConversations } from '#areas/inbox/item/item-row.ts'
import { watchedFolders, watchedMedia } from '#areas/media/media-hints.ts'
import { watchedUploads } from '#areas/media/upload/upload.ts'
import { watchedProfiles } from '#areas/profiles/access/profile-row.ts'
import { watchedCampaigns } from '#areas/publishing/campaign/campaign.ts'
import { watchedEvents } from '#areas/publishing/custom-event/custom-event.ts'
import { watchedPosts } from '#areas/publishing/post/post.ts'
import { watchedStreams, watchedStreamTabs } from '#areas/streams/stream-hints.ts'
import type { Watched } from '#kernel/hints/hints.ts'

/** Every kind of things that people look at together. */
export const watched: readonly Watched[] = [
  watchedPosts,
  watchedCampaigns,
  watchedEvents,
  watchedUploads,
  watchedMedia,
  watchedFolders,
  watchedItems,
  watchedProfiles,
  watchedBoards,
  watchedTopics,
  watchedStories,
  watchedConversations,
  watchedStreamTabs,
  watchedStreams,
  watchedDashboards,
]
