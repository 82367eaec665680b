import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import type { EventName } from './catalogue/catalogue.ts'

/** Told whenever there are events nobody has looked at yet. A hint: whoever listens looks every second anyway. */
export const eventsChannel = 'chorus_events'

type Data = object | readonly object[]

/**
 * Records that something happened, in the transaction of the change: if the change stands, the event exists and will be
 * told. `data` is what the wire says of it, one element or, for an action on several things, one for each.
 */
export const emit = (context: Context, type: EventName, data: Data) => emitAll(context, type, [data])

/** The same for several events of one type. */
export async function emitAll({ db, accountId, now }: Context, type: EventName, events: readonly Data[]) {
  if (events.length === 0) return
  const ids = events.map(() => newId('event', now))
  const insertion = sql`
    with event as (insert into events (account_id, id, created, type, data)
                   select ${accountId}, e.id, ${now}, ${type}, e.data
                   from unnest(${ids}::text[], ${events.map(elements)}::text[]) as e (id, data)),
         queued as (insert into event_queue (account, id) select ${accountId}, unnest(${ids}::text[]))
    select pg_notify(${eventsChannel}, '')`
  await later(db, insertion)
}

/** Records an event that is told to nobody by itself. */
export async function record({ db, accountId, now }: Context, type: string, data: Data): Promise<string> {
  const id = newId('event', now)
  await db
    .insertInto('events')
    .values({ accountId, id, created: now, type, data: elements(data) })
    .execute()
  return id
}

const elements = (data: Data) => JSON.stringify([data].flat())
