import { ownerQuery } from '#kernel/database/owner.ts'

/** The last migration of the oldest version that can be upgraded. */
export const oldestMigration = '0036-saved-views.sql'

/** The tables of that version that grow with use. */
export const largeTables: readonly string[] = [
  'clicks',
  'daily_figures',
  'deeds',
  'events',
  'feed_entries',
  'figures',
  'inbox_entries',
  'inbox_items',
  'lead_activities',
  'leads',
  'links',
  'postlogs',
  'posts',
  'quarter_figures',
  'sends',
  'webhook_deliveries',
  'webhook_log',
]

interface Column {
  readonly name: string
  readonly type: string
  /** Values of an enumerating check. */
  readonly values: string[] | null
  /** The table that a foreign key with this column refers to; the account aside. */
  readonly refers: string | null
}

interface Table {
  readonly name: string
  readonly columns: Column[]
  readonly needs: string[]
  /** At most one row per account or installation. */
  readonly single: boolean
}

const demanded: { readonly [column: string]: string } = {
  // A check over several columns.
  'posts.approve_status': `'Approved'`,
  // Part of profile ids: the demo, which may be seeded afterwards, has the first numbers.
  'accounts.number': '1000',
}

/** The one account, which owns every row. */
const account = `'001upgrade00000'`

/** Fills every table of a database; returns the number of rows by table. */
export async function fillTables(url: string, countOf: (table: string) => number): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const tables = await ownerQuery<Table>(url, described)
  const singles = new Set(tables.filter(({ single }) => single).map(({ name }) => name))
  const rowsOf = (name: string) => (singles.has(name) ? 1 : countOf(name))
  const waiting = new Map(tables.map((table) => [table.name, table]))
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ name, needs }) =>
      needs.every((one) => one === name || !waiting.has(one)),
    )
    if (ready.length === 0) throw new Error(`The tables ${[...waiting.keys()].join(', ')} refer to each other.`)
    for (const table of ready) {
      const values = table.columns.map((column) => expressionOf(table.name, column, rowsOf))
      const names = table.columns.map(({ name }) => `"${name}"`)
      await ownerQuery(
        url,
        `insert into ${table.name} (${names.join(', ')}) overriding system value select ${values.join(', ')} from generate_series(1, ${rowsOf(table.name)}) i`,
      )
      counts.set(table.name, rowsOf(table.name))
      waiting.delete(table.name)
    }
  }
  // As if the database had numbered the rows itself: it continues after them.
  for (const { name, column } of await ownerQuery<{ name: string; column: string }>(url, numbered))
    await ownerQuery(
      url,
      `select setval(pg_get_serial_sequence('${name}', '${column}'), (select max("${column}") from ${name}))`,
    )
  return counts
}

function expressionOf(
  table: string,
  { name, type, values, refers }: Column,
  rowsOf: (table: string) => number,
): string {
  const special = demanded[`${table}.${name}`]
  if (special) return special
  if (name === 'account_id' || name === 'account' || (table === 'accounts' && name === 'id')) return account
  if (values) return `(array[${values.map((value) => `'${value}'`).join(', ')}])[1 + i % ${values.length}]`
  const at = refers && refers !== table ? `(1 + (i - 1) % ${rowsOf(refers)})` : 'i'
  return byType[type] ? byType[type](at) : `null::${type}`
}

const byType: { readonly [type: string]: (at: string) => string } = {
  text: (at) => `lpad((${at})::text, 15, '0')`,
  integer: (at) => `1 + ${at} % 6`,
  bigint: (at) => at,
  real: (at) => `(${at})::real`,
  'double precision': (at) => `${at} / 8.0`,
  'numeric(12,2)': (at) => `${at} / 4.0`,
  boolean: () => 'true',
  bytea: (at) => `sha256((${at})::text::bytea)`,
  date: (at) => `date '2020-01-01' + ${at}`,
  'timestamp with time zone': (at) => `timestamptz '2026-01-01 00:00Z' + ${at} * interval '1 second'`,
  jsonb: (at) => `jsonb_build_object('n', ${at})`,
  tsvector: (at) => `to_tsvector('simple', 'word' || ${at})`,
  'text[]': (at) => `array['admin', 'n' || ${at}]`,
  'bigint[]': (at) => `array[${at}::bigint]`,
}

const described = `
  select c.relname::text as name,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
       'values', (select array_agg(m[1]) from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g') m
         where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) ~ '= (ANY|'')'),
       'refers', (select f.relname from pg_constraint k join pg_class f on f.oid = k.confrelid
         where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey) limit 1)) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    c.relname = 'accounts' or (select bool_and(a.attname in ('account_id', 'singleton')) from pg_index i
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey) where i.indrelid = c.oid and i.indisprimary) as single,
    (select coalesce(json_agg(f.relname), '[]') from pg_constraint k join pg_class f on f.oid = k.confrelid
     where k.conrelid = c.oid and k.contype = 'f') as needs
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations' order by 1`

const numbered = `
  select c.relname::text as name, a.attname::text as column from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attidentity = 'a' order by 1`
