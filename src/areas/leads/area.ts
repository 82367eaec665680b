import { forgetInOutbox } from '#kernel/mail/outbox.personal-data.ts'
import { encryptedColumn } from '#kernel/secrets/reencrypt.ts'
import { defineArea, type Registry } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { inside, on } from '../events/reaction.ts'
import { endpoints as activities } from './activity/activity.api.ts'
import { activitySamples } from './activity/activity.events.ts'
import { captureConversions, captureEntries } from './activity/activity.ts'
import { leadEvents, leadIds, leadQuotas } from './declarations.ts'
import { appEndpoints as integrationApp, endpoints as integrations } from './integration/integration.api.ts'
import { secretScope as integrationPlace } from './integration/integration-row.ts'
import { appEndpoints as leadApp, endpoints as leadEndpoints } from './lead/lead.api.ts'
import { leadSamples } from './lead/lead.events.ts'
import { leadRecount } from './lead/lead.recount.ts'
import { seedLeads } from './leads.demo.ts'
import { forgetPersonJob } from './person/forget-person.job.ts'
import { appEndpointsFor as personApp, endpoints as persons } from './person/lead-person.api.ts'

/** Leads, their activity, and CRM integrations. */
export const leads = defineArea({
  name: 'leads',
  dependsOn: ['account', 'events', 'figures', 'links'],
  ids: leadIds,
  quotas: leadQuotas,
  events: withSamples(leadEvents, { ...leadSamples, ...activitySamples }),
  tables: ['deletedLeadFacts', 'integrations', 'leadActivities', 'leadProfiles', 'leadRemotes', 'leads'],
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
  endpoints: [...leadEndpoints, ...persons, ...activities, ...integrations],
  appEndpoints: ({ personalData }: Registry) => [...leadApp, ...personApp(personalData), ...integrationApp],
  jobs: ({ registry, outbox }) => [
    forgetPersonJob({
      places: registry.personalData,
      forgetInOutbox: (person) => forgetInOutbox(outbox, person),
    }),
  ],
  reactions: [on('conversionIdentified', inside(captureConversions)), on('inboxEntryArrived', inside(captureEntries))],
  recounts: [leadRecount],
  encryptedColumns: [encryptedColumn('integrations', 'secret', ['accountId', 'id'], integrationPlace)],
  demo: { after: ['inbox'], seed: (context, { sandboxUrl }) => seedLeads(context, sandboxUrl) },
})
