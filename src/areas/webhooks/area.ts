import { hour } from '#kernel/clock.ts'
import { encryptedColumn } from '#kernel/secrets/reencrypt.ts'
import { defineArea, type Registry } from '../area.ts'
import { inside, onEvery } from '../events/reaction.ts'
import { webhookIds, webhookQuotas } from './declarations.ts'
import { deliveriesPersonalData } from './deliveries.ts'
import { queueEvents } from './fan-out.ts'
import { appEndpointsFor, endpointsFor } from './webhook.api.ts'
import { secretScope } from './webhook.ts'
import { forgetOldEventsJob } from './webhook-log.ts'

export const webhooks = defineArea({
  name: 'webhooks',
  dependsOn: ['account', 'events'],
  ids: webhookIds,
  quotas: webhookQuotas,
  tables: ['eventQueue', 'webhookDeliveries', 'webhookPartitions', 'webhookLog', 'webhooks'],
  tags: [
    {
      name: 'Webhooks',
      description: 'Webhooks, event types, deliveries and their log.',
      of: ['webhook', 'webhook-log', 'webhook-payload'],
    },
  ],
  endpoints: ({ events }: Registry) => endpointsFor(events),
  appEndpoints: ({ events }: Registry) => appEndpointsFor(events),
  jobs: () => [forgetOldEventsJob],
  recurringJobs: [{ job: forgetOldEventsJob, every: hour }],
  reactions: [onEvery(inside(queueEvents), { last: true })],
  personalData: [deliveriesPersonalData],
  encryptedColumns: [
    encryptedColumn('webhooks', 'secret', ['accountId', 'id'], secretScope),
    encryptedColumn('webhooks', 'previousSecret', ['accountId', 'id'], secretScope),
  ],
})
