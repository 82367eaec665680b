import { defineArea } from '../area.ts'
import { inside, on } from '../events/reaction.ts'
import { streamChanges, streamIds, streamQuotas } from './declarations.ts'
import { fetchFeedJob } from './feed/fetch-feed.job.ts'
import { endpoints as items } from './feed/stream-item.api.ts'
import { streamsPersonalData } from './feed/streams.personal-data.ts'
import { endpoints as streamEndpoints } from './stream/stream.api.ts'
import { leaveProfileStreams } from './stream/stream-removal.ts'
import { watchedStreams, watchedStreamTabs } from './stream-changes.ts'
import { endpoints as tabs } from './stream-tab/stream-tab.api.ts'
import { seedStreams } from './streams.demo.ts'

/** Streams of social content, organized in tabs. */
export const streams = defineArea({
  name: 'streams',
  dependsOn: ['account', 'events', 'inbox', 'profiles', 'sending'],
  ids: streamIds,
  quotas: streamQuotas,
  changes: streamChanges,
  tables: ['streamFeeds', 'streamItems', 'streamTabs', 'streams'],
  locks: { streamTabs: 'leads', streamFeeds: 'streamTabs' },
  tags: [
    { name: 'Streams', description: 'Streams of social content, organized in tabs.', of: ['stream', 'stream-tab'] },
  ],
  endpoints: [...tabs, ...streamEndpoints],
  appEndpoints: items,
  jobs: ({ installation, budgets, streamEvery }) => [fetchFeedJob({ ...installation, budgets, streamEvery })],
  reactions: [on('profileDeleted', inside(leaveProfileStreams))],
  presence: [watchedStreamTabs, watchedStreams],
  personalData: [streamsPersonalData],
  demo: { after: ['inbox'], seed: seedStreams },
})
