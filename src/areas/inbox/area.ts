import { day, minute } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { after, inside, on } from '../events/reaction.ts'
import { endpoints as acting, appEndpoints as actingApp } from './actions/acting.api.ts'
import { enqueueUnassignment, leaveItemsJob } from './actions/leave-items.job.ts'
import {
  appEndpoints as cannedResponseApp,
  endpoints as cannedResponses,
} from './canned-response/canned-response.api.ts'
import { endpoints as cases } from './case/case.api.ts'
import { saveCaseJob } from './case/save-case.job.ts'
import { endpoints as comments } from './comment/comment.api.ts'
import { entryRecount, replyRecount } from './counters/inbox.recount.ts'
import { inboxChanges, inboxEvents, inboxIds, inboxQuotas } from './declarations.ts'
import { seedInbox } from './inbox.demo.ts'
import { askForPostsJob } from './ingest/ask-posts.job.ts'
import { addInboxMetrics } from './ingest/ingest-metrics.ts'
import { placeArrivalsJob, releaseArrivalsJob } from './ingest/place-arrivals.job.ts'
import { pollProfileJob } from './ingest/poll-profile.job.ts'
import { pushes } from './ingest/push.api.ts'
import { subscribePushJob } from './ingest/subscribe-push.job.ts'
import { forgetArrivalsJob, watchProfiles, watchProfilesJob } from './ingest/watch-profiles.job.ts'
import { stopWatching, watchConnected } from './ingest/watching.ts'
import { appEndpoints as conversationApp, endpoints as conversations } from './item/conversation.api.ts'
import { watchedConversations } from './item/item.ts'
import { inboxSamples } from './item/item-samples.events.ts'
import { inboxPersonalData } from './person/inbox.personal-data.ts'
import { endpoints as replies, appEndpoints as replyApp } from './reply/reply.api.ts'
import { replySendable } from './reply/reply.sendable.ts'
import { endProfileReplies, endProfileRepliesName } from './reply/reply-end.ts'
import { endpoints as conversationTags } from './tag/tag.api.ts'
import { appEndpoints as timelineApp, endpoints as timelines } from './timeline/timeline.api.ts'
import { endpoints as inboxViews } from './view/view.api.ts'

/** Conversations from all networks, replies, notes, tags and cases. */
export const inbox = defineArea({
  name: 'inbox',
  dependsOn: ['account', 'events', 'figures', 'leads', 'media', 'profiles', 'publishing', 'sending'],
  ids: inboxIds,
  quotas: inboxQuotas,
  changes: inboxChanges,
  events: withSamples(inboxEvents, { ...inboxSamples }),
  tables: [
    'cannedResponses',
    'conversationTags',
    'inboxArrivals',
    'inboxCases',
    'inboxEntries',
    'inboxItemCounts',
    'inboxItemTags',
    'inboxItems',
    'inboxProfiles',
    'inboxReaders',
    'inboxReads',
    'inboxReplies',
    'inboxViews',
    'pushAddresses',
  ],
  locks: {
    inboxProfiles: 'postMetrics',
    inboxArrivals: 'inboxProfiles',
    inboxItems: 'inboxArrivals',
    inboxReplies: 'inboxItems',
    inboxCases: 'integrations',
    conversationTags: 'tags',
  },
  tags: [
    {
      name: 'Inbox',
      description: 'Conversations, comments, replies, tags and canned responses.',
      of: ['conversation', 'conversations', 'conversation-tag', 'comments', 'inbox', 'reply', 'canned-response'],
    },
  ],
  endpoints: [
    ...cases,
    ...conversations,
    ...timelines,
    ...comments,
    ...acting,
    ...replies,
    ...conversationTags,
    ...cannedResponses,
  ],
  appEndpoints: [...conversationApp, ...timelineApp, ...inboxViews, ...actingApp, ...replyApp, ...cannedResponseApp],
  pushRoutes: ({ installation, log }) => [pushes({ ...installation, log })],
  jobs: ({ installation, budgets, pollEvery }) => [
    watchProfilesJob({ pollEvery }),
    pollProfileJob({ ...installation, budgets, pollEvery }),
    subscribePushJob({ ...installation, pollEvery }),
    askForPostsJob(installation),
    placeArrivalsJob(),
    releaseArrivalsJob,
    forgetArrivalsJob,
    leaveItemsJob,
    saveCaseJob(installation),
  ],
  recurringJobs: [
    { job: watchProfiles, every: minute },
    { job: forgetArrivalsJob, every: day },
  ],
  reactions: [
    on('profileConnected', inside(watchConnected)),
    on('profileDeleted', inside(stopWatching)),
    on('profileDeleted', after(endProfileRepliesName, endProfileReplies)),
    on('userDeleted', inside(enqueueUnassignment)),
  ],
  sendables: (installation) => [replySendable(installation)],
  recounts: [entryRecount, replyRecount],
  presence: [watchedConversations],
  personalData: [inboxPersonalData],
  metrics: addInboxMetrics,
  demo: { after: ['advocacy'], seed: seedInbox },
})
