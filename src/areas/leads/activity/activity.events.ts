import { emitAll } from '#areas/events/event.ts'
import { sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import type { Context, Scopes } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { leadEvents } from '../declarations.ts'
import { LeadActivity } from './activity-shape.ts'

const toWire = wireForm(LeadActivity)

type Announced = Parameters<typeof toWire>[0] & { scopes: Scopes }

export const announceActivities = (context: Context, activities: readonly Announced[]) =>
  emitAll(
    context,
    leadEvents.newLeadActivity,
    activities.map(({ scopes, ...activity }) => ({ scopes, data: toWire(activity) })),
  )

export const activitySamples = {
  newLeadActivity: sampleOf(LeadActivity, {
    ...sampleReferences,
    Id: sampleIds.leadActivity,
    ActivityDate: '2026-03-03 11:41:55',
    Type: 'comment',
    ProfileId: sampleIds.profile,
    Data: { Text: 'Which of the two routes is drier in April?', ItemId: 'eitsample000001' },
  }),
}
