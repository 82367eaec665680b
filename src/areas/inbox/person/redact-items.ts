import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { patternsOf, valueWithoutTraits } from '#kernel/person/person.ts'
import { hintItem, holdItems } from '../item/item-row.ts'
import { writeWords } from '../item/item-words.ts'

/** Where in an item words about a person may stand: what others wrote, and what we did. */
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

/** Takes what tells who somebody is out of everything said in items, and out of the words they are found by. */
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
    for (const { key, item, said } of rows) {
      const left = valueWithoutTraits(said, traits) as Record<string, unknown>
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
  await writeWords(context, new Map(itemIds.map((id) => [id, undefined])))
  for (const id of itemIds) hintItem(context, id)
}
