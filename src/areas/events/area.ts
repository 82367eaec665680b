import { defineArea } from '../area.ts'
import { eventsPersonalData } from './event.ts'
import { eventIds } from './event-type.ts'
import { fillScopesJob } from './fill-scopes.job.ts'

/** Events and reactions to them. */
export const events = defineArea({
  name: 'events',
  ids: eventIds,
  tables: ['events'],
  jobs: () => [fillScopesJob],
  personalData: [eventsPersonalData],
})
