import { emitAll } from '#areas/events/event.ts'
import { sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import type { Context, Scopes } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { leadEvents } from '../declarations.ts'
import { Lead, LeadActivity } from './lead-shape.ts'

const leadOnWire = wireForm(Lead)
const activityOnWire = wireForm(LeadActivity)

/** Publishes leads with a new email address. A lead belongs to the whole account, independent of its campaign. */
export const announceLeads = (context: Context, leads: readonly Parameters<typeof leadOnWire>[0][]) =>
  emitAll(
    context,
    leadEvents.newLead,
    leads.map((lead) => ({ scopes: [], data: leadOnWire(lead) })),
  )

type NewActivity = Parameters<typeof activityOnWire>[0] & { scopes: Scopes }

export const announceActivities = (context: Context, activities: readonly NewActivity[]) =>
  emitAll(
    context,
    leadEvents.newLeadActivity,
    activities.map(({ scopes, ...activity }) => ({ scopes, data: activityOnWire(activity) })),
  )

export const leadSamples = {
  newLead: sampleOf(Lead, {
    Id: sampleIds.lead,
    AccountId: sampleIds.account,
    Type: 'person',
    Email: 'robin.field@example.com',
    Name: 'Robin Field',
    FirstName: 'Robin',
    LastName: 'Field',
    IsTracked: true,
    Photo: 'https://www.example.com/images/robin-field.png',
    Profiles: [{ Network: 'LinkedIn', Url: 'https://www.example.com/in/robin-field' }],
    RemoteLeads: [
      {
        IntegrationID: sampleIds.integration,
        RemoteIdentifier: 'robin.field@example.com',
        LinkedLeadId: '70120044',
        IntegrationType: 'hubspot',
      },
    ],
  }),
  newLeadActivity: sampleOf(LeadActivity, {
    ...sampleReferences,
    Id: sampleIds.leadActivity,
    ActivityDate: '2026-03-03 11:41:55',
    Type: 'comment',
    ProfileId: sampleIds.profile,
    Data: { Text: 'Which of the two routes is drier in April?', ItemId: 'eitsample000001' },
  }),
}
