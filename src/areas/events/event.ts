import { type RawBuilder, sql } from 'kysely'
import type { Context, Emitted, Scopes } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import type { EventType } from './event-type.ts'
import { eventIds } from './event-type.ts'
import type { InnerEvents } from './inner-events.ts'

/** Payload of an event in the API: one element or, for an action on several entities, one for each. */
export type WireData = object | readonly object[]

export type InnerEventName = keyof InnerEvents

export type DataOf<Name extends InnerEventName> = InnerEvents[Name]

/** An event that webhooks can receive. The emitter states its scopes; they are never derived from the data later. */
export interface ScopedEvent {
  scopes: Scopes
  data: WireData
}

/** Emits an event in the transaction of the change: if the change commits, the event exists and its reactions have run or will run. */
export const emit = (context: Context, type: EventType, event: ScopedEvent) => emitAll(context, type, [event])

/** Emits several events of one type. */
export async function emitAll(context: Context, { name: type }: EventType, events: readonly ScopedEvent[]) {
  if (events.length === 0) return
  const { accountId, now } = context
  const emitted = events.map((event) => ({ id: newId(eventIds.event, now), accountId, at: now, type, ...event }))
  await later(context.db, insertion(context, type, emitted))
  await context.react(context, emitted)
}

/** Emits an internal event. It only reaches reactions and is not stored, so it has no scopes. */
export const emitInner = <Name extends keyof InnerEvents>(context: Context, type: Name, data: InnerEvents[Name]) =>
  emitAllInner(context, type, [data])

/** Emits several internal events of one type. */
export async function emitAllInner<Name extends keyof InnerEvents>(
  context: Context,
  type: Name,
  events: readonly InnerEvents[Name][],
) {
  if (events.length === 0) return
  const { accountId, now } = context
  const emitted = events.map((data) => ({
    id: newId(eventIds.event, now),
    accountId,
    at: now,
    type,
    scopes: null,
    data,
  }))
  await context.react(context, emitted)
}

/** Stores an event without notifying anyone; returns its id. */
export async function record(context: Context, type: string, event: ScopedEvent): Promise<string> {
  const id = newId(eventIds.event, context.now)
  await insertion(context, type, [{ id, ...event }]).execute(context.db)
  return id
}

/** The scopes of an event, without absent and duplicate ids. */
export const scopesOf = (...ids: readonly (string | null | undefined)[]): Scopes => [
  ...new Set(ids.flatMap((id) => id || [])),
]

type Stored = ScopedEvent & Pick<Emitted, 'id'>

/** PostgreSQL arrays must be rectangular, so the scopes of each event are passed as text. */
const insertion = ({ accountId, now }: Context, type: string, events: readonly Stored[]) => sql`
  insert into events (account_id, id, created, type, scopes, data)
  select ${accountId}, e.id, ${now}, ${type}, string_to_array(e.scopes, ','), e.data
  from unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ scopes }) => scopes.join(','))}::text[],
    ${events.map(({ data }) => JSON.stringify([data].flat()))}::text[]) as e (id, scopes, data)
  returning id`

interface Forgetting {
  before: Date
  /** A condition on the event `e`. */
  isWaitedFor: RawBuilder<unknown>
  atOnce: number
}

/** Deletes old events except those still to be delivered; returns their number. */
export async function forgetEvents(
  { db, accountId }: Context,
  { before, isWaitedFor, atOnce }: Forgetting,
): Promise<number> {
  const { numAffectedRows } = await sql`delete from events where account_id = ${accountId} and id in (
    select id from events e where account_id = ${accountId} and created < ${before} and not (${isWaitedFor})
    limit ${atOnce})`.execute(db)
  return Number(numAffectedRows)
}
