import { sql } from 'kysely'
import { emitAllInner } from '#areas/events/event.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context } from '#kernel/context.ts'
import { tellOfReopening } from '../../actions/notifications.ts'
import { receivedFact } from '../../counters/inbox-increments.ts'
import { type ItemEvent, tellEach } from '../../item/item.events.ts'
import { itemsChanged } from '../../item/item-change.ts'
import type { ItemRow } from '../../item/item-row.ts'
import { wordsColumn, writeWords } from '../../item/words.ts'
import type { EntryRow } from '../../timeline/timeline.ts'
import { wantRelease } from '../record-arrivals.ts'
import type { Batch } from './batch.ts'

/** Writes the results, items and events of a batch in the current transaction. */
export async function writeBatch(context: Context, batch: Batch) {
  await insertItems(context, batch)
  await insertEntries(context, batch.newEntries)
  for (const entry of batch.changedEntries) await updateEntry(context, entry)
  const changed = [...batch.before.values()].filter(({ id }) => isChanged(batch, id))
  const after = changed.map(({ id }) => batch.items.get(id) as ItemRow)
  await updateItems(context, after)
  await writeWords(context, wordsOfKnown(batch))
  await settleArrivals(context, batch)
  await itemsChanged(context, changed, [...after, ...batch.newItems])
  for (const event of order) {
    const told = batch.told.filter((one) => one.event === event).map((one) => one.told)
    await tellEach(context, event, told)
  }
  await tellOfReopening(
    context,
    after.filter(({ id }) => batch.reopened.has(id)),
  )
  await emitAllInner(context, 'inboxEntryArrived', batch.arrived)
  await addFacts(
    context,
    batch.arrived.map((arrived) => receivedFact(context, { ...arrived, at: new Date(arrived.at) })),
  )
}

/** A new item's event precedes those of its entries, and content precedes its effects. */
const order: readonly ItemEvent[] = [
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
const wordsOfKnown = ({ words, before }: Batch) => new Map([...words].filter(([id, texts]) => before.has(id) || !texts))

async function insertItems({ db, accountId }: Context, { newItems, words }: Batch) {
  if (newItems.length === 0) return
  const rows = newItems.map((item) => ({
    ...item,
    media: JSON.stringify(item.media),
    postMedia: JSON.stringify(item.postMedia),
    words: wordsColumn(accountId, words.get(item.id) ?? []),
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
async function settleArrivals(context: Context, { credentialId, outcomes, known }: Batch) {
  const { db, accountId } = context
  // An activity that waited for a reply may have received it in the same batch.
  const last = [...new Map(outcomes.map((outcome) => [outcome.dedupeKey, outcome])).values()]
  const column = <Value>(read: (outcome: (typeof last)[number]) => Value) => last.map(read)
  await sql`
    update inbox_arrivals a set state = o.state, waits_for = o.waits_for, due = o.due, reason = o.reason,
      activity = case when o.state = 'waiting' then a.activity end
    from unnest(${column(({ dedupeKey }) => dedupeKey)}::text[], ${column(({ state }) => state)}::text[],
      ${column(({ waitsFor }) => waitsFor ?? null)}::text[], ${column(({ due }) => due ?? null)}::timestamptz[],
      ${column(({ reason = '' }) => reason)}::text[]) as o (key, state, waits_for, due, reason)
    where a.account_id = ${accountId} and a.credential_id = ${credentialId} and a.dedupe_key = o.key`.execute(db)
  if (known.size > 0)
    await sql`update inbox_arrivals set state = 'new', waits_for = null
      where account_id = ${accountId} and credential_id = ${credentialId} and state = 'waiting'
        and waits_for = any (${[...known]})`.execute(db)
  await wantRelease(
    context,
    credentialId,
    last.flatMap(({ due }) => due ?? []),
  )
}
