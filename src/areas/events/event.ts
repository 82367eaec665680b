import { type RawBuilder, sql } from 'kysely'
import type { Context, Emitted } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import { type EventName, findEventType } from './catalogue/catalogue.ts'
import type { InnerEvents } from './catalogue/inner-events.ts'

/** What the wire says of an event: one element or, for an action on several things, one for each. */
type WireData = object | readonly object[]

export type AnyEventName = EventName | keyof InnerEvents

export type DataOf<Name extends AnyEventName> = Name extends keyof InnerEvents ? InnerEvents[Name] : WireData

/**
 * Tells that something happened, in the transaction of the change: if the change stands, the event exists, and whatever follows from it
 * is done or will be. Events of the catalogue are written down as the wire says them, inner ones only reach those who react.
 */
export const emit = <Name extends AnyEventName>(context: Context, type: Name, data: DataOf<Name>) =>
  emitAll(context, type, [data])

/** The same for several events of one type. */
export async function emitAll<Name extends AnyEventName>(
  context: Context,
  type: Name,
  events: readonly DataOf<Name>[],
) {
  if (events.length === 0) return
  const { accountId, now } = context
  const emitted = events.map((data) => ({ id: newId('event', now), accountId, at: now, type, data }))
  if (findEventType(type)) await write(context, type, emitted)
  await context.react(context, emitted)
}

async function write({ db, accountId, now }: Context, type: string, emitted: readonly Emitted[]) {
  const insertion = sql`
    insert into events (account_id, id, created, type, data)
    select ${accountId}, e.id, ${now}, ${type}, e.data
    from unnest(${emitted.map(({ id }) => id)}::text[], ${emitted.map(({ data }) => elements(data))}::text[]) as e (id, data)
    returning id`
  await later(db, insertion)
}

/** Records an event that is told to nobody by itself. */
export async function record({ db, accountId, now }: Context, type: string, data: WireData): Promise<string> {
  const id = newId('event', now)
  await db
    .insertInto('events')
    .values({ accountId, id, created: now, type, data: elements(data) })
    .execute()
  return id
}

const elements = (data: unknown) => JSON.stringify([data].flat())

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
