import { day, hour } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { inside, on } from '../events/reaction.ts'
import { endpoints as calendar, appEndpoints as calendarApp } from './calendar/calendar.api.ts'
import { calendarFeedPages } from './calendar/calendar-feed.page.ts'
import { revokeKeys } from './calendar/calendar-feed.ts'
import { watchedEvents } from './calendar/custom-event.ts'
import { appEndpoints as campaignApp, endpoints as campaigns } from './campaign/campaign.api.ts'
import { watchedCampaigns } from './campaign/campaign.ts'
import { campaignSamples } from './campaign/campaign-shape.ts'
import { completeCampaignsJob, endCampaignJob } from './campaign/campaign-status.ts'
import { publishingChanges, publishingEvents, publishingIds, publishingQuotas } from './declarations.ts'
import { seedPublishing } from './demo/publishing.demo.ts'
import { appEndpoints as messageApp, endpoints as messages } from './message/message.api.ts'
import { messageApprovable } from './message/message.approvable.ts'
import { measureMessagesJob } from './message/message-content.ts'
import { appEndpoints as postApp, endpoints as posts } from './post/post.api.ts'
import { postApprovable } from './post/post.approvable.ts'
import { postSamples } from './post/post.events.ts'
import { publishingSendables } from './post/post.sendable.ts'
import { watchedPosts } from './post/post.ts'
import { withdrawFromProfiles } from './post/post-end.ts'
import { appEndpoints as postlogApp, endpoints as postlogs } from './post/postlog.api.ts'
import { postlogRecount } from './post/postlog.ts'
import { endpoints as profileHealth } from './profile-health.api.ts'
import { endpoints as queueSlots } from './queue/queue-slot.api.ts'
import { endpoints as tags } from './tag.api.ts'

export const publishing = defineArea({
  name: 'publishing',
  dependsOn: ['account', 'approval', 'events', 'counters', 'links', 'media', 'profiles', 'sending'],
  ids: publishingIds,
  quotas: publishingQuotas,
  changes: publishingChanges,
  events: withSamples(publishingEvents, { ...postSamples, ...campaignSamples }),
  tables: [
    'calendarKeys',
    'campaigns',
    'customEventCampaigns',
    'customEvents',
    'firstComments',
    'messageMedia',
    'messages',
    'postCounts',
    'postlogs',
    'posts',
    'queueSlots',
    'entityTags',
    'tags',
  ],
  locks: { campaigns: 'boardMembers', messages: 'campaigns', posts: 'credentials', tags: 'topics' },
  tags: [
    { name: 'Campaigns', description: 'Campaigns, which hold messages and posts.', of: ['campaign'] },
    { name: 'Messages', description: 'Reusable content for one network.', of: ['message'] },
    {
      name: 'Posts',
      description: 'Scheduled and published posts, and their delivery log.',
      of: ['post', 'posts', 'postlog', 'compose'],
    },
    { name: 'Calendar', description: 'Posts and custom events by date.', of: ['calendar', 'calendar-key'] },
    { name: 'Tags', description: 'Tags of campaigns, messages and stories.', of: ['tag'] },
  ],
  endpoints: [...calendar, ...messages, ...posts, ...postlogs, ...campaigns, ...tags],
  appEndpoints: [
    ...messageApp,
    ...campaignApp,
    ...calendarApp,
    ...postApp,
    ...postlogApp,
    ...profileHealth,
    ...queueSlots,
  ],
  pages: ({ installation }) => calendarFeedPages(installation),
  jobs: () => [completeCampaignsJob, endCampaignJob, measureMessagesJob],
  recurringJobs: [
    { job: completeCampaignsJob, every: hour },
    { job: measureMessagesJob, every: day },
  ],
  reactions: [
    on('profileDeleted', inside(withdrawFromProfiles)),
    on('userDeleted', inside(revokeKeys)),
    on('accessEnded', inside(revokeKeys)),
  ],
  approvables: [postApprovable, messageApprovable],
  sendables: publishingSendables,
  recounts: [postlogRecount],
  presence: [watchedPosts, watchedCampaigns, watchedEvents],
  demo: { after: ['profiles', 'media'], seed: seedPublishing },
})
