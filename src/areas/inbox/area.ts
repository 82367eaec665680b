import { day, minute } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { after, inside, on } from '../events/reaction.ts'
import { enqueueUnassignment, unassignJob } from './actions/actions.ts'
import { saveCaseJob } from './actions/case.ts'
import {
  appEndpoints as cannedResponseApp,
  endpoints as cannedResponses,
} from './canned-response/canned-response.api.ts'
import { inboxChanges, inboxEvents, inboxIds, inboxQuotas } from './declarations.ts'
import { seedInbox } from './inbox.demo.ts'
import { inboxPersonalData } from './inbox.personal-data.ts'
import { entryRecount, replyRecount } from './inbox-counters.ts'
import { forgetActivitiesJob, ingestActivitiesJob, releaseActivitiesJob } from './ingest/ingest-activities.job.ts'
import { addInboxMetrics } from './ingest/ingest-metrics.ts'
import { pollProfileJob } from './ingest/poll-profile.job.ts'
import { pushes } from './ingest/push.api.ts'
import { subscribePushJob } from './ingest/push.ts'
import { askForPostsJob } from './ingest/record-activities.ts'
import { stopWatching, watchConnected, watchProfiles, watchProfilesJob } from './ingest/watching.ts'
import { appEndpoints as conversationApp, endpoints as conversations } from './item/conversation.api.ts'
import { inboxSamples } from './item/item.events.ts'
import { watchedConversations } from './item/item.ts'
import { endpoints as replies, appEndpoints as replyApp } from './reply/reply.api.ts'
import { replySendable } from './reply/reply.sendable.ts'
import { endProfileReplies, endProfileRepliesName } from './reply/reply.ts'
import { endpoints as conversationTags } from './tag/tag.api.ts'
import { endpoints as inboxViews } from './view/view.api.ts'

/** Conversations from all networks, replies, notes, tags and cases. */
export const inbox = defineArea({
  name: 'inbox',
  dependsOn: ['account', 'events', 'counters', 'leads', 'media', 'profiles', 'publishing', 'sending'],
  ids: inboxIds,
  quotas: inboxQuotas,
  changes: inboxChanges,
  events: withSamples(inboxEvents, { ...inboxSamples }),
  tables: [
    'cannedResponses',
    'conversationTags',
    'inboxActivities',
    'inboxCases',
    'inboxEntries',
    'inboxItemCounts',
    'inboxItemTags',
    'inboxItems',
    'inboxProfiles',
    'inboxReadCursors',
    'inboxItemReads',
    'inboxReplies',
    'inboxViews',
    'pushRoutes',
  ],
  locks: {
    inboxProfiles: 'postMetrics',
    inboxActivities: 'inboxProfiles',
    inboxItems: 'inboxActivities',
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
  endpoints: [...conversations, ...replies, ...conversationTags, ...cannedResponses],
  appEndpoints: [...conversationApp, ...inboxViews, ...replyApp, ...cannedResponseApp],
  pushRoutes: ({ installation, log }) => [pushes({ ...installation, log })],
  jobs: ({ installation, budgets, pollEvery }) => [
    watchProfilesJob({ pollEvery }),
    pollProfileJob({ ...installation, budgets, pollEvery }),
    subscribePushJob({ ...installation, pollEvery }),
    askForPostsJob(installation),
    ingestActivitiesJob(),
    releaseActivitiesJob,
    forgetActivitiesJob,
    unassignJob,
    saveCaseJob(installation),
  ],
  recurringJobs: [
    { job: watchProfiles, every: minute },
    { job: forgetActivitiesJob, every: day },
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
