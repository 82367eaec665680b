import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { patternsOf, withoutTraits } from '#kernel/person/person.ts'

/** What the account's own people named or wrote for themselves, where somebody may be called by name; what must be one of its kind is named by its id besides. */
const tables = [
  { table: 'canned_responses', columns: ['name', 'content'], unique: 'name' },
  { table: 'inbox_views', columns: ['name'], unique: undefined },
  { table: 'conversation_tags', columns: ['value'], unique: 'value' },
] as const

/** Takes what tells who somebody is out of canned responses, names of views and tags: an account has few of each. */
export async function redactOwnWords({ db, accountId }: Context, traits: readonly string[]) {
  for (const { table, columns, unique } of tables) {
    const names = columns.map((name) => sql.ref(name))
    const { rows } = await sql<{ id: string; said: string[] }>`
      select id, array[${sql.join(names)}] as said from ${sql.table(table)}
      where account_id = ${accountId} and concat_ws(' ', ${sql.join(names)}) ilike any (${patternsOf(traits)})`.execute(
      db,
    )
    for (const { id, said } of rows) {
      const changes = columns.map((name, at) => {
        const [was = '', is = withoutTraits(was, traits)] = [said[at]]
        return sql`${sql.ref(name)} = ${is !== was && name === unique ? `${is} ${id}` : is}`
      })
      await sql`
        update ${sql.table(table)} set ${sql.join(changes)} where account_id = ${accountId} and id = ${id}`.execute(db)
    }
  }
}
