import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import type { EventName } from './catalogue/catalogue.ts'

/** Told whenever there are events nobody has looked at yet. A hint: whoever listens looks every second anyway. */
export const eventsChannel = 'chorus_events'

type Data = object | readonly object[]

/**
 * Records that something happened, in the transaction of the change: if the change stands, the event exists and will be
 * told. `data` is what the wire says of it, one element or, for an action on several things, one for each.
 */
export async function emit({ db, accountId, now }: Context, type: EventName, data: Data) {
  const id = newId('event', now)
  // One statement, because most changes of the product end with it.
  await sql`
    with event as (insert into events (account_id, id, created, type, data)
                   values (${accountId}, ${id}, ${now}, ${type}, ${elements(data)})),
         queued as (insert into event_queue (account, id) values (${accountId}, ${id}))
    select pg_notify(${eventsChannel}, '')`.execute(db)
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
