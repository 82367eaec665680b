import { emitAll } from '#areas/events/event.ts'
import { sampleIds } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { leadEvents } from '../declarations.ts'
import { type LeadRow, withParts } from './lead-row.ts'
import { Lead } from './lead-shape.ts'

const toWire = wireForm(Lead)

/** Publishes leads with a new email address. A lead belongs to the whole account, independent of its campaign. */
export async function announceLeads(context: Context, leads: readonly LeadRow[]) {
  const detailed = await withParts(context, leads)
  await emitAll(
    context,
    leadEvents.newLead,
    detailed.map((lead) => ({ scopes: [], data: toWire(lead) })),
  )
}

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
}
