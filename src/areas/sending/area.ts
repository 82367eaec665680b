import { defineArea } from '../area.ts'
import { addSendingMetrics } from './sending-metrics.ts'

export const sending = defineArea({
  name: 'sending',
  dependsOn: ['profiles'],
  tables: ['networkHolds', 'profileLanes', 'sendingState', 'sends'],
  locks: { sendingState: 'clicksOfAccount', sends: 'inboxReplies' },
  metrics: addSendingMetrics,
})
