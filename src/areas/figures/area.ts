import { minute } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { rebuildFigures, rebuildFiguresJob } from './rebuild.ts'

export const figures = defineArea({
  name: 'figures',
  tables: ['dailyFigures', 'figureRebuilds', 'figures', 'levels', 'quarterFigures'],
  locks: { figureRebuilds: 'uploadsOfDay' },
  jobs: ({ registry }) => [rebuildFiguresJob(registry.recounts)],
  recurringJobs: [{ job: rebuildFigures, every: 10 * minute }],
})
