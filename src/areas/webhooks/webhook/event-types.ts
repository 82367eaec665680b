import { type EventName, eventTypes, findEventType } from '#areas/events/catalogue/catalogue.ts'
import type { Context } from '#kernel/context.ts'
import { missing } from '#kernel/errors.ts'

/** Everything a webhook may be for, the legacy types included. */
export const names: readonly EventName[] = eventTypes.map(({ name }) => name)

/** What is offered to new webhooks. */
export const current = eventTypes
  .filter(({ legacy }) => !legacy)
  .map(({ name, group, description }) => ({ event: name, group, description }))

export async function sample(_context: Context, { event }: { event: string }) {
  const type = findEventType(event)
  if (!type) throw missing('Event')
  return { event: type.name, sample: type.sample }
}
