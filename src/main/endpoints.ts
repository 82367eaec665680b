import { endpoints as accounts } from '#areas/account/account/account.api.ts'
import { endpoints as apiKeys } from '#areas/account/api-key/api-key.api.ts'
import { endpoints as audit } from '#areas/account/audit/audit.api.ts'
import { auditTable } from '#areas/account/audit/audit-table.api.ts'
import { endpoints as drafts } from '#areas/account/draft/draft.api.ts'
import { endpoints as me, appEndpoints as meApp } from '#areas/account/me/me.api.ts'
import { endpoints as notifications } from '#areas/account/notification/notification.api.ts'
import { endpoints as savedViews } from '#areas/account/saved-view/saved-view.api.ts'
import { endpoints as sessions } from '#areas/account/session/session.api.ts'
import { appEndpoints as teamApp, endpoints as teams } from '#areas/account/team/team.api.ts'
import { endpoints as people } from '#areas/account/user/people.api.ts'
import { endpoints as users } from '#areas/account/user/user.api.ts'
import { endpoints as userRole } from '#areas/account/user/user-role.api.ts'
import { appEndpoints as advocateApp, endpoints as advocates } from '#areas/advocacy/advocate/advocate.api.ts'
import { appEndpoints as boardApp, endpoints as boards } from '#areas/advocacy/board/board.api.ts'
import { endpoints as boardMessages } from '#areas/advocacy/board-message/board-message.api.ts'
import { appEndpoints as invitationApp, endpoints as invitations } from '#areas/advocacy/invitation/invitation.api.ts'
import { endpoints as leaderboards } from '#areas/advocacy/leaderboard/leaderboard.api.ts'
import { endpoints as members } from '#areas/advocacy/member/member.api.ts'
import { endpoints as shares } from '#areas/advocacy/share/share.api.ts'
import { endpoints as stories } from '#areas/advocacy/story/story.api.ts'
import { endpoints as topics } from '#areas/advocacy/topic/topic.api.ts'
import { appEndpoints as dashboardApp, endpoints as dashboards } from '#areas/analytics/dashboard/dashboard.api.ts'
import { appEndpoints as exportApp, endpoints as exports } from '#areas/analytics/export/export.api.ts'
import { endpoints as metrics } from '#areas/analytics/metrics/metrics.api.ts'
import { endpoints as reports } from '#areas/analytics/report/report.api.ts'
import { endpointsFor as workflowItems } from '#areas/approval/decision/workflow-item.api.ts'
import { endpointsFor as workflowEditing } from '#areas/approval/editing/workflow-editing.api.ts'
import { endpointsFor as workflowNotes } from '#areas/approval/note/note.api.ts'
import { endpointsFor as reviews } from '#areas/approval/review/review.api.ts'
import { endpoints as workflows } from '#areas/approval/workflow/workflow.api.ts'
import { endpoints as overview } from '#areas/home/overview/overview.api.ts'
import { endpoints as acting, appEndpoints as actingApp } from '#areas/inbox/actions/acting.api.ts'
import {
  appEndpoints as cannedResponseApp,
  endpoints as cannedResponses,
} from '#areas/inbox/canned-response/canned-response.api.ts'
import { endpoints as cases } from '#areas/inbox/case/case.api.ts'
import { endpoints as comments } from '#areas/inbox/comment/comment.api.ts'
import { appEndpoints as conversationApp, endpoints as conversations } from '#areas/inbox/item/conversation.api.ts'
import { endpoints as replies, appEndpoints as replyApp } from '#areas/inbox/reply/reply.api.ts'
import { endpoints as conversationTags } from '#areas/inbox/tag/tag.api.ts'
import { appEndpoints as timelineApp, endpoints as timelines } from '#areas/inbox/timeline/timeline.api.ts'
import { endpoints as inboxViews } from '#areas/inbox/view/view.api.ts'
import { endpoints as leadActivities } from '#areas/leads/activity/activity.api.ts'
import { appEndpoints as integrationApp, endpoints as integrations } from '#areas/leads/integration/integration.api.ts'
import { appEndpoints as leadApp, endpoints as leads } from '#areas/leads/lead/lead.api.ts'
import { appEndpointsFor as personApp, endpoints as persons } from '#areas/leads/person/lead-person.api.ts'
import { appEndpoints as clickApp, endpoints as clicks } from '#areas/links/click/click.api.ts'
import { endpoints as cnames } from '#areas/links/cname/cname.api.ts'
import {
  appEndpoints as conversionTagApp,
  endpoints as conversionTags,
} from '#areas/links/conversion/conversion-tag.api.ts'
import { appEndpoints as linkApp, endpoints as links } from '#areas/links/link/link.api.ts'
import { endpoints as linkPreview } from '#areas/links/preview/link-preview.api.ts'
import { endpoints as linkSettings } from '#areas/links/settings/link-settings.api.ts'
import { feed } from '#areas/live/feed/feed.api.ts'
import { endpointsFor as presence } from '#areas/live/presence/presence.api.ts'
import { endpoints as media, appEndpoints as mediaApp } from '#areas/media/asset/asset.api.ts'
import { endpoints as directUploads, piece } from '#areas/media/direct/direct-upload.api.ts'
import { appEndpoints as folderApp, endpoints as folders } from '#areas/media/folder/folder.api.ts'
import { mediaPreview } from '#areas/media/preview/preview.api.ts'
import { endpoints as uploads } from '#areas/media/upload/upload.api.ts'
import { endpoints as videoValidation } from '#areas/media/validation/video-validation.api.ts'
import { endpoints as networkUse } from '#areas/profiles/budget/network-use.api.ts'
import { endpoints as connecting } from '#areas/profiles/connect/connect.api.ts'
import { endpoints as credentials } from '#areas/profiles/credential/credential.api.ts'
import { profilePicture } from '#areas/profiles/picture/profile-picture.api.ts'
import { endpoints as networkSetup } from '#areas/profiles/setup/network-setup.api.ts'
import {
  appEndpoints as presetApp,
  endpoints as presets,
} from '#areas/profiles/targeting-preset/targeting-preset.api.ts'
import { endpoints as calendar, appEndpoints as calendarApp } from '#areas/publishing/calendar/calendar.api.ts'
import { endpoints as calendarKeys } from '#areas/publishing/calendar-feed/calendar-key.api.ts'
import { appEndpoints as campaignApp, endpoints as campaigns } from '#areas/publishing/campaign/campaign.api.ts'
import { endpoints as compose } from '#areas/publishing/compose/compose.api.ts'
import { endpoints as customEvents } from '#areas/publishing/custom-event/custom-event.api.ts'
import { endpoints as mediaUses } from '#areas/publishing/message/media-uses.api.ts'
import { endpoints as messages } from '#areas/publishing/message/message.api.ts'
import { appEndpoints as postApp, endpoints as posts } from '#areas/publishing/post/post.api.ts'
import { endpoints as postlogs } from '#areas/publishing/postlog/postlog.api.ts'
import { endpoints as postlogRepair } from '#areas/publishing/postlog/postlog-repair.api.ts'
import { endpoints as profileHealth } from '#areas/publishing/profile-health/health.api.ts'
import { endpoints as queueSlots } from '#areas/publishing/queue/queue-slot.api.ts'
import { endpoints as tags } from '#areas/publishing/tag/tag.api.ts'
import { endpoints as streamItems } from '#areas/streams/feed/stream-item.api.ts'
import { endpoints as contentStreams } from '#areas/streams/stream/stream.api.ts'
import { endpoints as streamTabs } from '#areas/streams/stream-tab/stream-tab.api.ts'
import { appEndpoints as webhookApp, endpoints as webhooks } from '#areas/webhooks/webhook.api.ts'
import type { Download } from '#kernel/http/route/download-route.ts'
import type { Intake } from '#kernel/http/route/intake-route.ts'
import type { Stream } from '#kernel/http/route/stream-route.ts'
import { approvables } from './approvables.ts'
import { personalPlaces } from './personal-places.ts'
import { watched } from './watched.ts'

/** Every endpoint of the contract, in the order of the specification. */
export const endpoints = [
  ...me,
  ...stories,
  ...boardMessages,
  ...calendar,
  ...customEvents,
  ...boards,
  ...advocates,
  ...invitations,
  ...teams,
  ...users,
  ...media,
  ...videoValidation,
  ...uploads,
  ...folders,
  ...messages,
  ...posts,
  ...postlogs,
  ...metrics,
  ...workflows,
  ...workflowItems(approvables),
  ...workflowNotes(approvables),
  ...credentials,
  ...presets,
  ...campaigns,
  ...dashboards,
  ...cnames,
  ...links,
  ...clicks,
  ...conversionTags,
  ...leads,
  ...persons,
  ...leadActivities,
  ...integrations,
  ...cases,
  ...topics,
  ...tags,
  ...streamTabs,
  ...contentStreams,
  ...exports,
  ...webhooks,
  ...notifications,
  ...conversations,
  ...timelines,
  ...comments,
  ...acting,
  ...replies,
  ...conversationTags,
  ...cannedResponses,
]

/** What the console may do beyond the contract. */
export const appEndpoints = [
  ...sessions,
  ...meApp,
  ...accounts,
  ...teamApp,
  ...people,
  ...userRole,
  ...apiKeys,
  ...audit,
  ...drafts,
  ...savedViews,
  ...directUploads,
  ...mediaApp,
  ...folderApp,
  ...mediaUses,
  ...campaignApp,
  ...overview,
  ...calendarApp,
  ...calendarKeys,
  ...compose,
  ...postApp,
  ...postlogRepair,
  ...presetApp,
  ...connecting,
  ...networkUse,
  ...networkSetup,
  ...profileHealth,
  ...linkApp,
  ...linkSettings,
  ...linkPreview,
  ...clickApp,
  ...conversionTagApp,
  ...queueSlots,
  ...workflowEditing(approvables),
  ...reviews(approvables),
  ...shares,
  ...leaderboards,
  ...members,
  ...webhookApp,
  ...boardApp,
  ...invitationApp,
  ...advocateApp,
  ...conversationApp,
  ...timelineApp,
  ...inboxViews,
  ...actingApp,
  ...replyApp,
  ...cannedResponseApp,
  ...leadApp,
  ...personApp(personalPlaces),
  ...integrationApp,
  ...streamItems,
  ...dashboardApp,
  ...reports,
  ...exportApp,
  ...presence(watched),
]

/** Where it sends bytes as they are. */
export const intakes: readonly Intake[] = [piece]

/** What it fetches that is no JSON. */
export const downloads: readonly Download[] = [mediaPreview, profilePicture, auditTable]

/** Where it listens. */
export const streams: readonly Stream[] = [feed]
