import { type RawBuilder, sql } from 'kysely'
import type { Context, Emitted, Scopes } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import { eventIds } from './declarations.ts'
import type { EventType } from './event-type.ts'
import type { InnerEvents } from './inner-events.ts'

/** What the wire says of an event: one element or, for an action on several things, one for each. */
export type WireData = object | readonly object[]

export type InnerEventName = keyof InnerEvents

export type DataOf<Name extends InnerEventName> = InnerEvents[Name]

/** An event that webhooks can receive. Who emits it knows what it concerns; nobody finds that out from the data later. */
export interface ScopedEvent {
  scopes: Scopes
  data: WireData
}

/**
 * Emits an event, in the transaction of the change: if the change stands, the event exists, and whatever follows from it
 * is done or will be.
 */
export const emit = (context: Context, type: EventType, event: ScopedEvent) => emitAll(context, type, [event])

/** The same for several events of one type. */
export async function emitAll(context: Context, { name: type }: EventType, events: readonly ScopedEvent[]) {
  if (events.length === 0) return
  const { accountId, now } = context
  const emitted = events.map((event) => ({ id: newId(eventIds.event, now), accountId, at: now, type, ...event }))
  await later(context.db, insertion(context, type, emitted))
  await context.react(context, emitted)
}

/** Emits an inner event. It only reaches those who react and is not stored, so it has no scopes. */
export const emitInner = <Name extends keyof InnerEvents>(context: Context, type: Name, data: InnerEvents[Name]) =>
  emitAllInner(context, type, [data])

/** The same for several events of one type. */
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

/** Stores an event that is told to nobody by itself; returns its id. */
export async function record(context: Context, type: string, event: ScopedEvent): Promise<string> {
  const id = newId(eventIds.event, context.now)
  await insertion(context, type, [{ id, ...event }]).execute(context.db)
  return id
}

/** What an event concerns, without the ids that are absent and those named twice. */
export const scopesOf = (...ids: readonly (string | null | undefined)[]): Scopes => [
  ...new Set(ids.flatMap((id) => id || [])),
]

type Stored = ScopedEvent & Pick<Emitted, 'id'>

/** The arrays in an array would have to be of one length, so the scopes of each event travel as text. */
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

/** Removes old events; one that somebody still waits for stays. Gives how many. */
export async function forgetEvents(
  { db, accountId }: Context,
  { before, isWaitedFor, atOnce }: Forgetting,
): Promise<number> {
  const { numAffectedRows } = await sql`delete from events where account_id = ${accountId} and id in (
    select id from events e where account_id = ${accountId} and created < ${before} and not (${isWaitedFor})
    limit ${atOnce})`.execute(db)
  return Number(numAffectedRows)
}
