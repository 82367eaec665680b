import { type RawBuilder, sql } from 'kysely'
import type { Context, Emitted, Scopes } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { newId } from '#kernel/ids.ts'
import { type DataSubject, type PersonalDataLocation, patternsOf, traitsOf } from '#kernel/personal-data.ts'
import { type EventType, eventIds } from './event-type.ts'

/** Payload of an event in the API: one element or, for an action on several entities, one for each. */
export type WireData = object | readonly object[]

/** Events between areas that webhooks can't receive. Plain values only, because a reaction may run later in another process. */
export interface InnerEvents {
  /** A profile was connected or reconnected. Profiles of advocates are for their shares only. */
  profileConnected: { credentialId: string; boardOnly: boolean }
  /** The profile can no longer be used. */
  profileDeleted: { credentialId: string }
  /** A message is about to be changed or deleted; an area that offers it to others may reject the change. */
  messageChanging: { messageId: string }
  /** The content of a message changed; `mayApprove` states whether the user who changed it may approve content. */
  messageChanged: { messageId: string; mayApprove: boolean }
  /** A page has identified a converted visitor for the first time: the email address in lower case, with the source of the click. */
  conversionIdentified: {
    clickId: string
    conversionTagId: string
    email: string
    network: string
    campaignId: string
  }
  /** The user signed in through an emailed link, which verifies their email address. */
  cameByLink: { userId: string }
  /** A new account with its first admin was created. */
  accountCreated: Record<string, never>
  userDeleted: { userId: string }
  /** A user's account may be compromised: all access in their name without a password is revoked. */
  accessEnded: { userId: string }
  /** The role changed or was removed. */
  userRoleChanged: { userId: string }
  /** An external user's action was added to the inbox; never emitted for actions of our own profiles. */
  inboxEntryArrived: {
    itemId: string
    entryId: string
    kind: 'comment' | 'reply' | 'mention' | 'message' | 'share' | 'like'
    network: string
    credentialId: string
    personId: string
    personName: string
    personUsername: string
    personPicture: string
    text: string
    /** Empty if it does not belong to one of our posts. */
    postlogId: string
    /** ISO 8601. */
    at: string
  }
  /** A post was published on a profile and has a network id. The time is ISO 8601. */
  postPublished: {
    postId: string
    credentialId: string
    campaignId: string
    messageId: string
    remoteId: string
    at: string
  }
}

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

const payloadsAtOnce = 5_000

/** Payloads that webhooks received or have yet to receive: parts about the person are removed, including from the log. */
export const eventsPersonalData: PersonalDataLocation = {
  name: 'events',
  isCopy: true,
  async forget(context, person, from) {
    const { db, accountId } = context
    const { rows } = await sql<{ id: string; data: string | null }>`
      with seen as materialized (
        select id, data from events where account_id = ${accountId} and id > ${from} order by id limit ${payloadsAtOnce}),
      matching as (select id, data from seen where data ilike any (${patternsOf(identifiersOf(person))}))
      select id, data from matching union all (select id, null from seen order by id desc limit 1 offset ${payloadsAtOnce - 1})`.execute(
      db,
    )
    for (const { id, data } of rows) if (data !== null) await forgetIn(context, id, data, person)
    return rows.find(({ data }) => data === null)?.id
  },
}

/** If an event covers several entities, only the elements about the person are removed. */
async function forgetIn({ db, accountId }: Context, id: string, data: string, person: DataSubject) {
  const identifiers = identifiersOf(person).map((identifier) => identifier.toLowerCase())
  const visible = elementsIn(data).filter((element) => {
    const text = JSON.stringify(element).toLowerCase()
    return !identifiers.some((identifier) => text.includes(JSON.stringify(identifier).slice(1, -1)))
  })
  await db
    .updateTable('events')
    .set({ data: JSON.stringify(visible) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Values that identify the person in payloads; network user ids appear there as ids. */
const identifiersOf = (person: DataSubject) => [
  person.leadId,
  ...traitsOf(person),
  ...person.profiles.map(({ remoteId }) => remoteId).filter((id) => id.length >= 4),
]

/** Unreadable payloads contain nothing worth keeping. */
function elementsIn(data: string): unknown[] {
  try {
    const read: unknown = JSON.parse(data)
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}
