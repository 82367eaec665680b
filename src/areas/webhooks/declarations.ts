import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const webhookIds = idKinds({ webhook: '0WA', webhookPayload: '0WB', webhookLog: '0WC' })

export const webhookQuotas = quotas({
  webhooks: { standard: 1_000, things: 'webhooks', remedy: 'Delete webhooks that nobody listens to' },
})
