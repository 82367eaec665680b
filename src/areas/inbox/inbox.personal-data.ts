import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { listedWithTotal } from '#kernel/database/keyed-pages.ts'
import {
  type Collected,
  type DataSubject,
  type PersonalDataLocation,
  patternsOf,
  traitsOf,
  valueWithoutTraits,
  withoutTraits,
} from '#kernel/personal-data.ts'
import { holdItems, itemColumns, notifyItemChanged } from './item/item.ts'
import { searchQuery, writeTerms } from './item/search-terms.ts'

const atOnce = 100
const everything = 10_000_000

/** Messages of a person, mentions of them by others, and unprocessed activities. */
export const inboxPersonalData: PersonalDataLocation = {
  name: 'conversations',
  collect: collectEntries,
  async forget(context, person, from) {
    if (from === '') {
      await forgetActivities(context, person)
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
async function forgetActivities({ db, accountId }: Context, person: DataSubject) {
  const needles = [
    ...traitsOf(person),
    ...person.profiles.map(({ remoteId }) => remoteId).filter((id) => id.length >= 4),
  ]
  await sql`
    update inbox_activities set state = 'done', activity = null, waits_for = null, due = null
    where account_id = ${accountId} and state in ('new', 'waiting', 'refused') and activity::text ilike any (${patternsOf(needles)})`.execute(
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

/** Replaces the names of deleted people. */
const deletedName = 'Deleted person'

/** A post that mentions us is theirs too. */
const ownPost = sql.join(
  [
    ['post_text', ''],
    ['post_url', ''],
    ['post_media', '[]'],
  ].map(([column, empty]) => {
    const isTheirs = sql`item_type = 'Mention' and remote_key = 'mention:' || post_remote_id`
    return sql`${sql.ref(column as string)} = case when ${isTheirs} then ${sql.lit(empty)} else ${sql.ref(column as string)} end`
  }),
)

/** Clears their messages in items and locks the items; the entries stay. */
async function forgetAuthor(context: Context, itemIds: readonly string[], personId: string) {
  const { db, accountId, now } = context
  await holdItems(context, itemIds)
  // Receiving it again must not restore it: removed entries stay removed.
  await sql`
    update inbox_entries set person_id = '', person_name = ${deletedName}, person_username = '', person_picture = '', content = '',
      media = '[]', url = '', language = '', details = '{}', removed = coalesce(removed, ${now})
    where account_id = ${accountId} and item_id = any (${itemIds}) and person_id = ${personId} and not is_own`.execute(
    db,
  )
  await sql`
    update inbox_entries set person_id = '' where account_id = ${accountId} and item_id = any (${itemIds}) and person_id = ${personId}`.execute(
    db,
  )
  await sql`
    update inbox_replies set person_id = '', thread_remote_id = ''
    where account_id = ${accountId} and item_id = any (${itemIds}) and person_id = ${personId}`.execute(db)
  // A thread is identified by its person: a new message starts another one.
  await sql`
    update inbox_items set person_id = '', person_name = ${deletedName}, person_username = '', person_picture = '', text = '', media = '[]',
      url = '', language = '', modified = ${now},
      remote_key = case when item_type = 'Conversation' then 'forgotten:' || id else remote_key end, ${ownPost}
    where account_id = ${accountId} and id = any (${itemIds}) and person_id = ${personId}`.execute(db)
  for (const id of itemIds) notifyItemChanged(context, id)
}

/** Tables with texts about a person: messages of others, and our actions. */
const tables = [
  { table: 'inbox_items', id: 'id', itemId: 'id', columns: ['text', 'url', 'post_text'], objects: [] },
  {
    table: 'inbox_entries',
    id: 'id',
    itemId: 'item_id',
    columns: ['content', 'url', 'person_name', 'person_username', 'person_picture'],
    objects: ['details'],
  },
  { table: 'inbox_replies', id: 'id', itemId: 'item_id', columns: ['text', 'error'], objects: [] },
  {
    table: 'inbox_cases',
    id: 'integration_id',
    itemId: 'item_id',
    columns: ['description', 'contact_id', 'error'],
    objects: [],
  },
] as const

/** Removes identifying texts from all entries of items, and from their search terms. */
async function redactItems(context: Context, itemIds: readonly string[], traits: readonly string[]) {
  await holdItems(context, itemIds)
  for (const { table, id, itemId, columns, objects } of tables) {
    const all = [...columns, ...objects]
    const { rows } = await sql<{ key: string; item: string; texts: Record<string, unknown> }>`
      select ${sql.ref(id)} as key, ${sql.ref(itemId)} as item, json_build_object(${sql.join(all.flatMap((name) => [sql.lit(name), sql.ref(name)]))}) as texts
      from ${sql.table(table)} where account_id = ${context.accountId} and ${sql.ref(itemId)} = any (${itemIds})
        and concat_ws(' ', ${sql.join(all.map((name) => sql.ref(name)))}) ilike any (${patternsOf(traits)})`.execute(
      context.db,
    )
    for (const { key, item, texts: textColumns } of rows) {
      const left = valueWithoutTraits(textColumns, traits) as Record<string, unknown>
      const changes = all.map((name) =>
        (objects as readonly string[]).includes(name)
          ? sql`${sql.ref(name)} = ${JSON.stringify(left[name])}::jsonb`
          : sql`${sql.ref(name)} = ${left[name]}`,
      )
      await sql`
        update ${sql.table(table)} set ${sql.join(changes)}
        where account_id = ${context.accountId} and ${sql.ref(itemId)} = ${item} and ${sql.ref(id)} = ${key}`.execute(
        context.db,
      )
    }
  }
  await writeTerms(context, new Map(itemIds.map((id) => [id, undefined])))
  for (const id of itemIds) notifyItemChanged(context, id)
}

/** Names and texts of the account's own users that may contain a person's name; unique names also get their id. */
const ownTables = [
  { table: 'canned_responses', columns: ['name', 'content'], unique: 'name' },
  { table: 'inbox_views', columns: ['name'], unique: undefined },
  { table: 'conversation_tags', columns: ['value'], unique: 'value' },
] as const

/** Removes identifying texts from canned responses, view names and tags: an account has few of each. */
async function redactOwnTexts({ db, accountId }: Context, traits: readonly string[]) {
  for (const { table, columns, unique } of ownTables) {
    const names = columns.map((name) => sql.ref(name))
    const { rows } = await sql<{ id: string; texts: string[] }>`
      select id, array[${sql.join(names)}] as texts from ${sql.table(table)}
      where account_id = ${accountId} and concat_ws(' ', ${sql.join(names)}) ilike any (${patternsOf(traits)})`.execute(
      db,
    )
    for (const { id, texts: textColumns } of rows) {
      const changes = columns.map((name, at) => {
        const [was = '', is = withoutTraits(was, traits)] = [textColumns[at]]
        return sql`${sql.ref(name)} = ${is !== was && name === unique ? `${is} ${id}` : is}`
      })
      await sql`
        update ${sql.table(table)} set ${sql.join(changes)} where account_id = ${accountId} and id = ${id}`.execute(db)
    }
  }
}
