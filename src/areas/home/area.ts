import { defineArea } from '../area.ts'
import { endpoints as overview } from './overview.api.ts'

/** The overview of the home screen. */
export const home = defineArea({
  name: 'home',
  dependsOn: ['account', 'approval', 'publishing'],
  tags: [{ name: 'Home', description: 'The overview of the home screen.', of: ['overview'] }],
  appEndpoints: overview,
})
