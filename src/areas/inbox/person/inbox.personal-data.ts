import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import {
  type Collected,
  type DataSubject,
  type PersonalDataLocation,
  patternsOf,
  traitsOf,
} from '#kernel/personal-data.ts'
import { itemColumns } from '../item/item.ts'
import { searchQuery } from '../item/search-terms.ts'
import { forgetAuthor, redactItems, redactOwnTexts } from './redact.ts'

const atOnce = 100
const everything = 10_000_000

/** Messages of a person, mentions of them by others, and unprocessed activities. */
export const inboxPersonalData: PersonalDataLocation = {
  name: 'conversations',
  collect: collectEntries,
  async forget(context, person, from) {
    if (from === '') {
      await forgetArrivals(context, person)
      await forgetViews(context, person)
      await redactOwnTexts(context, traitsOf(person))
      return 'written'
    }
    if (from === 'written') return (await forgetWritten(context, person)) ? 'written' : 'named 0 '
    const [, index = '0', after = ''] = from.split(' ')
    return forgetNamed(context, person, Number(index), after)
  },
}

/** Deletes their messages in items of each of their profiles, also from the search terms. Returns whether any are left. */
async function forgetWritten(context: Context, person: DataSubject): Promise<boolean> {
  const { db, accountId } = context
  for (const { network, remoteId } of person.profiles) {
    if (remoteId === '') continue
    const { rows } = await sql<{ id: string }>`
      (select i.id from inbox_items i where i.account_id = ${accountId} and i.network = ${network} and i.person_id = ${remoteId} limit ${atOnce})
      union (
        select e.item_id from inbox_entries e join inbox_items i on i.account_id = ${accountId} and i.id = e.item_id
        where e.account_id = ${accountId} and e.person_id = ${remoteId} and e.person_id <> '' and i.network = ${network} limit ${atOnce})`.execute(
      db,
    )
    if (rows.length === 0) continue
    const ids = rows.map(({ id }) => id)
    await forgetAuthor(context, ids, remoteId)
    await redactItems(context, ids, traitsOf(person))
    return true
  }
  return false
}

/** Messages of others that contain their email address or full name, found by search terms. */
async function forgetNamed(
  context: Context,
  person: DataSubject,
  index: number,
  after: string,
): Promise<string | undefined> {
  const { db, accountId } = context
  const traits = traitsOf(person)
  const trait = traits[index]
  if (trait === undefined) return undefined
  const question = searchQuery(accountId, trait)
  const { rows } = question
    ? await sql<{ id: string }>`
        select f.item_id as id from chorus_inbox_search(${accountId}, ${question}::tsquery, ${everything}) f
        where f.item_id > ${after} order by f.item_id limit ${atOnce}`.execute(db)
    : { rows: [] }
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await redactItems(context, ids, traits)
  return rows.length === atOnce ? `named ${index} ${ids.at(-1)}` : `named ${index + 1} `
}

/** Drops unprocessed and rejected activities. */
async function forgetArrivals({ db, accountId }: Context, person: DataSubject) {
  const signs = [...traitsOf(person), ...person.profiles.map(({ remoteId }) => remoteId).filter((id) => id.length >= 4)]
  await sql`
    update inbox_arrivals set state = 'done', activity = null, waits_for = null, due = null
    where account_id = ${accountId} and state in ('new', 'waiting', 'refused') and activity::text ilike any (${patternsOf(signs)})`.execute(
    db,
  )
}

/** Views that filter by the person match nothing afterwards. */
async function forgetViews({ db, accountId }: Context, person: DataSubject) {
  await sql`
    update inbox_views set filters = filters - 'q'
    where account_id = ${accountId} and filters ->> 'q' ilike any (${patternsOf(traitsOf(person))})`.execute(db)
}

/** Their messages, newest first, with the items. */
async function collectEntries(context: Context, person: DataSubject, most: number): Promise<Collected> {
  const { db, accountId } = context
  const remoteIds = person.profiles.map(({ remoteId }) => remoteId).filter((id) => id !== '')
  if (remoteIds.length === 0) return { items: [], total: 0 }
  const entries = db
    .selectFrom('inboxEntries')
    .select(['id', 'itemId', 'type', 'created', 'personName', 'personUsername', 'personPicture'])
    .select(['content', 'media', 'url'])
    .where('accountId', '=', accountId)
    .where('personId', 'in', remoteIds)
    .where('personId', '<>', sql.lit(''))
    .orderBy('id', 'desc')
  return listedWithTotal(db, entries.limit(most), { size: 250, each: (rows) => ofProfiles(context, person, rows) })
}

/** The same id may belong to another person on another network. */
async function ofProfiles<Row extends { itemId: string }>(
  { db, accountId }: Context,
  { profiles }: DataSubject,
  entries: readonly Row[],
) {
  if (entries.length === 0) return []
  const items = await db
    .selectFrom('inboxItems')
    .select(itemColumns)
    .where('accountId', '=', accountId)
    .where('id', 'in', [...new Set(entries.map(({ itemId }) => itemId))])
    .execute()
  const networks = new Map(items.map(({ id, network }) => [id, network]))
  const own = new Set(profiles.filter(({ remoteId }) => remoteId !== '').map(({ network }): string => network))
  return entries
    .map((entry) => ({ ...entry, network: networks.get(entry.itemId) }))
    .filter(({ network }) => network !== undefined && own.has(network))
}
