import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { emitAllInner } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { inLaterIteration } from '#kernel/event-loop/event-loop-time.ts'
import { forEachAccount, type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { skipRow } from '#kernel/skipped-rows.ts'
import { notifyReopening } from '../actions/notifications.ts'
import { receivedIncrement } from '../inbox-counters.ts'
import { type ItemEvent, publishItemEvents } from '../item/item.events.ts'
import { holdItems, type ItemRow, itemsChanged, visibleItems } from '../item/item.ts'
import { termsColumn, writeTerms } from '../item/search-terms.ts'
import type { EntryRow } from '../item/timeline.ts'
import { type Batch, keysFor, postsOf, type ReceivedActivity, under } from './batch.ts'
import { processActivity } from './process-activity.ts'
import { languageOf, openLanguages, type Received } from './received.ts'
import {
  enqueuePlacing,
  ingestActivities,
  type OfProfile,
  releaseActivities,
  scheduleRelease,
} from './record-activities.ts'

/** Adds the received activities of a profile to the inbox in small batches, one transaction each. */
export function ingestActivitiesJob(): Job<OfProfile> {
  // Loaded in advance, because the tables take a moment to read.
  void openLanguages()
  return job(ingestActivities.name, {
    ...ingestActivities,
    timeout: 300_000,
    async run(jobContext, { accountId, credentialId }) {
      const { transaction, signal } = jobContext
      while (
        !signal.aborted &&
        (await transaction(accountId, (context) => processBatch(context, credentialId, jobContext)))
      );
    },
  })
}

/** Releases activities whose deadline has passed. */
export const releaseActivitiesJob: Job<OfProfile> = job(releaseActivities.name, {
  ...releaseActivities,
  run: ({ complete }, { accountId, credentialId }) =>
    complete(accountId, async (context) => {
      const { db, now } = context
      const released = await sql`
        update inbox_activities set state = 'new', waits_for = null
        where account_id = ${accountId} and credential_id = ${credentialId} and state = 'waiting' and due <= ${now}`.execute(
        db,
      )
      if (released.numAffectedRows) await enqueuePlacing(context, credentialId)
    }),
})

const retention = 30 * 24 * 60 * 60_000
const mostDeleted = 5_000

/** Deletes old activities that are in the inbox or were rejected. */
export const forgetActivitiesJob = job<Record<string, never>>('inbox.forget-activities', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (accountId) => {
      while (!context.signal.aborted && (await context.transaction(accountId, deleteOld)) >= mostDeleted);
    }),
})

async function deleteOld({ db, accountId, now }: Context): Promise<number> {
  const before = new Date(now.getTime() - retention)
  const { numAffectedRows } = await sql`
    delete from inbox_activities where account_id = ${accountId} and (credential_id, dedupe_key) in (
      select credential_id, dedupe_key from inbox_activities
      where account_id = ${accountId} and state in ('done', 'refused') and received < ${before} limit ${mostDeleted})`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/** Returns whether there may be more. */
async function processBatch(context: Context, credentialId: string, { log }: JobContext): Promise<boolean> {
  const batch = await takeBatch(context, credentialId)
  if (!batch) return false
  await findLanguages(context, batch)
  for (const dedupeKey of batch.unreadable) {
    skipRow(log, { kind: 'arrival', id: dedupeKey }, new Error('What was kept of it cannot be read.'))
    batch.outcomes.push({ dedupeKey, state: 'refused', reason: 'What was kept of it cannot be read.' })
  }
  for (const received of batch.activities) {
    const { dedupeKey } = received
    batch.outcomes.push({ dedupeKey, ...processActivity(context, batch, received) })
  }
  await writeBatch(context, batch)
  return true
}

/** One text per event loop turn, so that other work isn't blocked. */
async function findLanguages({ accountId }: Context, { activities, languages }: Batch) {
  for (const { activity } of activities) {
    if (activity.text === '' || languages.has(activity.text)) continue
    languages.set(activity.text, await languageOf(activity.text))
    await new Promise<void>((resolve) => inLaterIteration(accountId, resolve))
  }
}

const batchSize = 100

/** Claims the next activities of a profile; undefined if there are none, or if the profile isn't watched any more. */
async function takeBatch(context: Context, credentialId: string): Promise<Batch | undefined> {
  const { db, accountId } = context
  // One batch at a time per profile: related activities come through the same profile.
  const profile = await db
    .selectFrom('inboxProfiles')
    .select(['network'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .modifyEnd(lockRows('inboxProfiles', 'update'))
    .executeTakeFirst()
  if (!profile) return undefined
  const rows = await db
    .selectFrom('inboxActivities')
    .select(['dedupeKey', 'activity', 'received', 'due'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('state', '=', sql.lit('new'))
    .orderBy('received')
    .orderBy('dedupeKey')
    .limit(batchSize)
    .execute()
  if (rows.length === 0) return undefined
  const activities = rows.flatMap(({ activity, ...row }) => (isReceived(activity) ? [{ ...row, activity }] : []))
  const unreadable = rows.filter(({ activity }) => !isReceived(activity)).map(({ dedupeKey }) => dedupeKey)
  activities.sort((one, other) => order(one.activity.at, other.activity.at) || order(one.dedupeKey, other.dedupeKey))
  const found = await batchContext(context, credentialId, profile.network, activities)
  const empty = { newItems: [], newEntries: [], outcomes: [], events: [], arrived: [], languages: new Map() }
  const sets = { changedEntries: new Set<EntryRow>(), reopened: new Set<string>(), known: new Set<string>() }
  const changes = { searchTerms: new Map(), ...sets, ...empty }
  return { credentialId, network: profile.network, activities, unreadable, ...changes, ...found }
}

const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

const isReceived = (activity: unknown): activity is Received =>
  typeof activity === 'object' && activity !== null && 'remoteId' in activity && 'person' in activity

async function batchContext(
  context: Context,
  credentialId: string,
  network: string,
  activities: readonly ReceivedActivity[],
) {
  const { db, accountId } = context
  const content = activities.map((received) => received.activity)
  const ids = distinct(content.flatMap(({ remoteId, parentId, postId }) => [remoteId, parentId, postId]))
  const keys = distinct(content.flatMap((one) => keysFor(network, one)))
  const parents = distinct(content.map(({ parentId }) => parentId))
  const [entryRows, keyed, replies, parkedRows, posts, profile] = [
    await entriesWith(context, credentialId, ids),
    await visibleItems(context).where('credentialId', '=', credentialId).where('remoteKey', 'in', keys).execute(),
    await repliesAmong(context, credentialId, ids),
    await parkedUnder(context, credentialId, parents),
    await postsOf(context, credentialId, distinct(content.map(({ postId }) => postId))),
    await db
      .selectFrom('credentials')
      .select('networkAccountId')
      .where('accountId', '=', accountId)
      .where('id', '=', credentialId)
      .executeTakeFirst(),
  ]
  const itemIds = distinct([...entryRows.map(({ itemId }) => itemId), ...keyed.map(({ id }) => id)])
  const held = itemIds.length > 0 ? await holdItems(context, itemIds) : []
  // Read again after locking: a reply of ours may have received its id meanwhile.
  const entries = held.length > 0 ? await entriesWith(context, credentialId, ids) : entryRows
  return {
    ownId: profile?.networkAccountId ?? '',
    items: new Map(held.map((item) => [item.id, item])),
    itemsByKey: new Map(held.map((item) => [item.remoteKey, item])),
    before: new Map(held.map((item) => [item.id, { ...item }])),
    entries: new Map(entries.map((entry) => [entry.remoteId, entry])),
    replies,
    parked: new Map(parkedRows.map((received) => [received.activity.remoteId, received])),
    posts,
  }
}

const distinct = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '')

/** Entries with these ids; likes and shares have other ids. */
const entriesWith = ({ db, accountId }: Context, credentialId: string, ids: readonly string[]): Promise<EntryRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('inboxEntries')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('credentialId', '=', credentialId)
        .where('remoteId', '<>', '')
        .where('remoteId', 'in', ids)
        .where('type', 'in', ['message', 'comment', 'reply'])
        .execute()

async function repliesAmong({ db, accountId }: Context, credentialId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>()
  const rows = await db
    .selectFrom('inboxReplies')
    .select('remoteId')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '<>', '')
    .where('remoteId', 'in', ids)
    .execute()
  return new Set(rows.map(({ remoteId }) => remoteId))
}

async function parkedUnder({ db, accountId }: Context, credentialId: string, parents: readonly string[]) {
  if (parents.length === 0) return []
  const rows = await db
    .selectFrom('inboxActivities')
    .select(['dedupeKey', 'activity', 'received', 'due'])
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('state', '=', sql.lit('waiting'))
    .where('waitsFor', 'in', parents.map(under))
    .execute()
  return rows.flatMap(({ activity, ...row }) => (isReceived(activity) ? [{ ...row, activity }] : []))
}

/** Writes the results, items and events of a batch in the current transaction. */
async function writeBatch(context: Context, batch: Batch) {
  await insertItems(context, batch)
  await insertEntries(context, batch.newEntries)
  for (const entry of batch.changedEntries) await updateEntry(context, entry)
  const changed = [...batch.before.values()].filter(({ id }) => isChanged(batch, id))
  const after = changed.map(({ id }) => batch.items.get(id) as ItemRow)
  await updateItems(context, after)
  await writeTerms(context, searchTermsOfKnown(batch))
  await finishActivities(context, batch)
  await itemsChanged(context, changed, [...after, ...batch.newItems])
  for (const event of eventOrder) {
    const events = batch.events.filter((one) => one.event === event).map((one) => one.data)
    await publishItemEvents(context, event, events)
  }
  await notifyReopening(
    context,
    after.filter(({ id }) => batch.reopened.has(id)),
  )
  await emitAllInner(context, 'inboxEntryArrived', batch.arrived)
  await incrementCounters(
    context,
    batch.arrived.map((arrived) => receivedIncrement(context, { ...arrived, at: new Date(arrived.at) })),
  )
}

/** A new item's event precedes those of its entries, and content precedes its effects. */
const eventOrder: readonly ItemEvent[] = [
  'newInboxItem',
  'newCommentOnInboxItem',
  'newDirectMessageOnInboxItem',
  'inboxItemStatusChange',
]

const isChanged = ({ before, items, changedEntries }: Batch, id: string) => {
  const [was, is] = [before.get(id), items.get(id)]
  const hasOther = [...changedEntries].some(({ itemId }) => itemId === id)
  return hasOther || was?.entries !== is?.entries || was?.modified !== is?.modified
}

/** New items have theirs already, unless they changed since. */
const searchTermsOfKnown = ({ searchTerms: terms, before }: Batch) =>
  new Map([...terms].filter(([id, texts]) => before.has(id) || !texts))

async function insertItems({ db, accountId }: Context, { newItems, searchTerms: terms }: Batch) {
  if (newItems.length === 0) return
  const rows = newItems.map((item) => ({
    ...item,
    media: JSON.stringify(item.media),
    postMedia: JSON.stringify(item.postMedia),
    words: termsColumn(accountId, terms.get(item.id) ?? []),
  }))
  await db.insertInto('inboxItems').values(rows).execute()
}

async function insertEntries({ db }: Context, entries: readonly EntryRow[]) {
  if (entries.length === 0) return
  const rows = entries.map((entry) => ({
    ...entry,
    media: JSON.stringify(entry.media),
    details: JSON.stringify(entry.details),
  }))
  await db.insertInto('inboxEntries').values(rows).execute()
}

const updateEntry = ({ db, accountId }: Context, entry: EntryRow) =>
  db
    .updateTable('inboxEntries')
    .set({
      content: entry.content,
      media: JSON.stringify(entry.media),
      language: entry.language,
      personName: entry.personName,
      personUsername: entry.personUsername,
      edited: entry.edited,
      removed: entry.removed,
    })
    .where('accountId', '=', accountId)
    .where('id', '=', entry.id)
    .execute()

async function updateItems({ db, accountId, now }: Context, items: readonly ItemRow[]) {
  if (items.length === 0) return
  const column = <Value>(read: (item: ItemRow) => Value) => items.map(read)
  await sql`
    update inbox_items i set modified = ${now}, status = c.status, url = c.url, event_date = c.event_date,
      last_activity = c.last_activity, person_id = c.person_id, person_name = c.person_name,
      person_username = c.person_username, person_picture = c.person_picture, text = c.text, media = c.media::jsonb,
      language = c.language, entries = c.entries
    from unnest(${column(({ id }) => id)}::text[], ${column(({ status }) => status)}::text[], ${column(({ url }) => url)}::text[],
      ${column(({ eventDate }) => eventDate)}::timestamptz[], ${column(({ lastActivity }) => lastActivity)}::timestamptz[],
      ${column(({ personId }) => personId)}::text[], ${column(({ personName }) => personName)}::text[],
      ${column(({ personUsername }) => personUsername)}::text[], ${column(({ personPicture }) => personPicture)}::text[],
      ${column(({ text }) => text)}::text[], ${column(({ media }) => JSON.stringify(media))}::text[],
      ${column(({ language }) => language)}::text[], ${column(({ entries }) => entries)}::int[])
      as c (id, status, url, event_date, last_activity, person_id, person_name, person_username, person_picture, text,
        media, language, entries)
    where i.account_id = ${accountId} and i.id = c.id`.execute(db)
}

/** Updates or deletes processed activities, and releases those that waited for what is known now. */
async function finishActivities(context: Context, { credentialId, outcomes, known }: Batch) {
  const { db, accountId } = context
  // An activity that waited for a reply may have received it in the same batch.
  const last = [...new Map(outcomes.map((outcome) => [outcome.dedupeKey, outcome])).values()]
  const column = <Value>(read: (outcome: (typeof last)[number]) => Value) => last.map(read)
  await sql`
    update inbox_activities a set state = o.state, waits_for = o.waits_for, due = o.due, reason = o.reason,
      activity = case when o.state = 'waiting' then a.activity end
    from unnest(${column(({ dedupeKey }) => dedupeKey)}::text[], ${column(({ state }) => state)}::text[],
      ${column(({ waitsFor }) => waitsFor ?? null)}::text[], ${column(({ due }) => due ?? null)}::timestamptz[],
      ${column(({ reason = '' }) => reason)}::text[]) as o (key, state, waits_for, due, reason)
    where a.account_id = ${accountId} and a.credential_id = ${credentialId} and a.dedupe_key = o.key`.execute(db)
  if (known.size > 0)
    await sql`update inbox_activities set state = 'new', waits_for = null
      where account_id = ${accountId} and credential_id = ${credentialId} and state = 'waiting'
        and waits_for = any (${[...known]})`.execute(db)
  await scheduleRelease(
    context,
    credentialId,
    last.flatMap(({ due }) => due ?? []),
  )
}
