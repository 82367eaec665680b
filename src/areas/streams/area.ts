import { defineArea } from '../area.ts'
import { inside, on } from '../events/reaction.ts'
import { streamChanges, streamIds, streamQuotas } from './declarations.ts'
import { fetchFeedJob } from './feed/fetch-feed.job.ts'
import { appEndpoints, endpoints } from './stream/stream.api.ts'
import { removeProfileStreams, watchedStreams } from './stream/stream.ts'
import { streamsPersonalData } from './stream/stream-item.ts'
import { watchedStreamTabs } from './stream/stream-tab.ts'
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
  endpoints,
  appEndpoints,
  jobs: ({ installation, budgets, streamEvery }) => [fetchFeedJob({ ...installation, budgets, streamEvery })],
  reactions: [on('profileDeleted', inside(removeProfileStreams))],
  presence: [watchedStreamTabs, watchedStreams],
  personalData: [streamsPersonalData],
  demo: { after: ['inbox'], seed: seedStreams },
})
