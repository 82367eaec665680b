import { eventTypes } from '#areas/events/event-type.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const leadIds = idKinds({ lead: '0ld', leadActivity: '0la', integration: '014' })

export const leadQuotas = quotas({
  integrations: { standard: 200, things: 'integrations', remedy: 'Delete integrations that nobody uses' },
})

export const leadEvents = eventTypes('Leads', {
  newLead: 'A person became known by an email address.',
  newLeadActivity: 'A lead did something on a network.',
})
