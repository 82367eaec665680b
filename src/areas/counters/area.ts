import { minute } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { rebuildCounters, rebuildCountersJob } from './rebuild.ts'

export const counters = defineArea({
  name: 'counters',
  tables: ['dailyRollups', 'counterRebuilds', 'counters', 'gauges', 'quarterHourRollups'],
  locks: { counterRebuilds: 'uploadsOfDay' },
  jobs: ({ registry }) => [rebuildCountersJob(registry.recounts)],
  recurringJobs: [{ job: rebuildCounters, every: 10 * minute }],
})
