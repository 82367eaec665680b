import { accept, leaveAll } from '#areas/advocacy/advocate/membership.ts'
import { seatOlderSignUps } from '#areas/advocacy/invitation/sign-up.ts'
import { leaveProfileShares } from '#areas/advocacy/share/own-profile.ts'
import { followMessage, followMessageName, protectStories } from '#areas/advocacy/story/writing/changed-message.ts'
import { followNewAccount } from '#areas/analytics/dashboard/templates.ts'
import { readPublished } from '#areas/analytics/metrics/post-reading.ts'
import { followLostApprovers } from '#areas/approval/editing/workflow-editing.ts'
import { createDefaultWorkflow } from '#areas/approval/workflow/workflow-step.ts'
import { after, inside, on, onEvery, openReactions, type Reaction } from '#areas/events/reaction.ts'
import { wantLeaving } from '#areas/inbox/actions/leave-items.job.ts'
import { leaveWatched, watchConnected } from '#areas/inbox/ingest/watching.ts'
import { endProfileReplies, endProfileRepliesName } from '#areas/inbox/reply/reply-end.ts'
import { captureConversions, captureEntries } from '#areas/leads/activity/activity.ts'
import { forgetKeys } from '#areas/publishing/calendar-feed/calendar-key.ts'
import { withdrawFromProfiles } from '#areas/publishing/post/post-end.ts'
import { leaveProfileStreams } from '#areas/streams/stream/stream-removal.ts'
import { queueEvents } from '#areas/webhooks/fan-out.ts'
import { approvables } from './approvables.ts'

/** What areas do when others tell that something happened, in the order in which they do it. */
export const reactions: readonly Reaction[] = [
  on('profileDeleted', inside(withdrawFromProfiles)),
  on('profileDeleted', inside(leaveProfileShares)),
  on('profileConnected', inside(watchConnected)),
  on('profileDeleted', inside(leaveWatched)),
  on('profileDeleted', after(endProfileRepliesName, endProfileReplies)),
  on('profileDeleted', inside(leaveProfileStreams)),
  on('messageChanging', inside(protectStories)),
  on('messageChanged', after(followMessageName, followMessage)),
  on('cameByLink', inside(seatOlderSignUps)),
  on('cameByLink', inside(accept)),
  on('userDeleted', inside(leaveAll)),
  on('userDeleted', inside(forgetKeys)),
  on('accessEnded', inside(forgetKeys)),
  on('userDeleted', inside(wantLeaving)),
  on('userDeleted', inside(followLostApprovers(approvables))),
  on('userRoleChanged', inside(followLostApprovers(approvables))),
  on('conversionIdentified', inside(captureConversions)),
  on('inboxEntryArrived', inside(captureEntries)),
  on('postPublished', inside(readPublished)),
  on('accountCreated', inside(createDefaultWorkflow)),
  on('accountCreated', inside(followNewAccount)),
  onEvery(inside(queueEvents)),
]

/** For what runs beside the service: the same follows, and jobs are left to the workers. */
export const { react } = openReactions(reactions)
