import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { patternsOf, valueWithoutTraits, withoutTraits } from '#kernel/personal-data.ts'
import { holdItems, notifyItemChanged } from '../item/item.ts'
import { writeTerms } from '../item/search-terms.ts'

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
export async function forgetAuthor(context: Context, itemIds: readonly string[], personId: string) {
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
export async function redactItems(context: Context, itemIds: readonly string[], traits: readonly string[]) {
  await holdItems(context, itemIds)
  for (const { table, id, itemId, columns, objects } of tables) {
    const all = [...columns, ...objects]
    const { rows } = await sql<{ key: string; item: string; said: Record<string, unknown> }>`
      select ${sql.ref(id)} as key, ${sql.ref(itemId)} as item, json_build_object(${sql.join(all.flatMap((name) => [sql.lit(name), sql.ref(name)]))}) as said
      from ${sql.table(table)} where account_id = ${context.accountId} and ${sql.ref(itemId)} = any (${itemIds})
        and concat_ws(' ', ${sql.join(all.map((name) => sql.ref(name)))}) ilike any (${patternsOf(traits)})`.execute(
      context.db,
    )
    for (const { key, item, said: textColumns } of rows) {
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
export async function redactOwnTexts({ db, accountId }: Context, traits: readonly string[]) {
  for (const { table, columns, unique } of ownTables) {
    const names = columns.map((name) => sql.ref(name))
    const { rows } = await sql<{ id: string; said: string[] }>`
      select id, array[${sql.join(names)}] as said from ${sql.table(table)}
      where account_id = ${accountId} and concat_ws(' ', ${sql.join(names)}) ilike any (${patternsOf(traits)})`.execute(
      db,
    )
    for (const { id, said: textColumns } of rows) {
      const changes = columns.map((name, at) => {
        const [was = '', is = withoutTraits(was, traits)] = [textColumns[at]]
        return sql`${sql.ref(name)} = ${is !== was && name === unique ? `${is} ${id}` : is}`
      })
      await sql`
        update ${sql.table(table)} set ${sql.join(changes)} where account_id = ${accountId} and id = ${id}`.execute(db)
    }
  }
}
