import { forgetInOutbox } from '#kernel/mail/outbox.personal-data.ts'
import { encryptedColumn } from '#kernel/secrets/reencrypt.ts'
import { defineArea, type Registry } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { inside, on } from '../events/reaction.ts'
import { leadEvents, leadIds, leadQuotas } from './declarations.ts'
import { appEndpoints as integrationApp, endpoints as integrations } from './integration/integration.api.ts'
import { secretScope as integrationSecretScope } from './integration/integration.ts'
import { captureConversions, captureEntries } from './lead/activity.ts'
import { forgetPersonJob } from './lead/data-subject.ts'
import { appEndpointsFor as leadApp, endpoints as leadEndpoints } from './lead/lead.api.ts'
import { leadSamples } from './lead/lead.events.ts'
import { leadRecount } from './lead/lead.ts'
import { seedLeads } from './leads.demo.ts'

/** Leads, their activity, and CRM integrations. */
export const leads = defineArea({
  name: 'leads',
  dependsOn: ['account', 'events', 'counters', 'links'],
  ids: leadIds,
  quotas: leadQuotas,
  events: withSamples(leadEvents, leadSamples),
  tables: ['deletedLeadCounts', 'integrations', 'leadActivities', 'leadProfiles', 'leadReferences', 'leads'],
  locks: { integrations: 'workflowItems', leads: 'inboxCases' },
  tags: [
    {
      name: 'Leads',
      description: 'Leads and their activities.',
      of: ['lead', 'lead-activity', 'lead-link-replace'],
    },
    {
      name: 'Integrations',
      description: 'Connected CRM and marketing systems.',
      of: ['integration', 'integration-types', 'integration-action'],
    },
  ],
  endpoints: [...leadEndpoints, ...integrations],
  appEndpoints: ({ personalData }: Registry) => [...leadApp(personalData), ...integrationApp],
  jobs: ({ registry, outbox }) => [
    forgetPersonJob({
      locations: registry.personalData,
      forgetInOutbox: (person) => forgetInOutbox(outbox, person),
    }),
  ],
  reactions: [on('conversionIdentified', inside(captureConversions)), on('inboxEntryArrived', inside(captureEntries))],
  recounts: [leadRecount],
  encryptedColumns: [encryptedColumn('integrations', 'secret', ['accountId', 'id'], integrationSecretScope)],
  demo: { after: ['inbox'], seed: (context, { sandboxUrl }) => seedLeads(context, sandboxUrl) },
})
