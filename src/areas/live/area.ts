import { defineArea, type Registry } from '../area.ts'
import { feed, endpointsFor as presenceEndpoints } from './live.api.ts'

export const live = defineArea({
  name: 'live',
  dependsOn: ['account'],
  tags: [{ name: 'Live updates', description: 'The change feed and presence.', of: ['feed', 'presence'] }],
  appEndpoints: ({ presence }: Registry) => presenceEndpoints(presence),
  streams: [feed],
})
