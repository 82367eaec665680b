import type pg from 'pg'
import { camelName } from '#kernel/database/statement/statement.ts'

/** Generates the type of every table from a migrated database. */
export async function describeTables(client: pg.Client): Promise<string> {
  const columns = await readColumns(client)
  const tables = [...new Set(columns.map(({ table }) => table))]
  const types = tables.map((table) => {
    const lines = columns
      .filter((column) => column.table === table)
      .map((column) => `  ${camelName(column.name)}: ${columnType(column)}`)
    return `export interface ${typeName(table)} {\n${lines.join('\n')}\n}`
  })
  const imports = ['ColumnType', 'Generated', 'GeneratedAlways'].filter((name) =>
    types.some((type) => type.includes(`${name}<`)),
  )
  const all = tables.map((table) => `  ${camelName(table)}: ${typeName(table)}`)
  return [
    '// Written by `npm run generate` from the migrations. Do not edit.',
    `import type { ${imports.join(', ')} } from 'kysely'`,
    '',
    ...types.flatMap((type) => [type, '']),
    `export interface DB {\n${all.join('\n')}\n}`,
    '',
  ].join('\n')
}

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  hasDefault: boolean
  computed: boolean
  /** The values of an enumerating check constraint, if it is one. */
  values: string[] | null
}

async function readColumns(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query<Column & { checks: string[] | null }>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
           a.atthasdef or a.attidentity <> '' as "hasDefault", a.attgenerated <> '' as computed,
           (select array_agg(pg_get_constraintdef(k.oid)) from pg_constraint k
            where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`)
  return rows.map((row) => ({ ...row, values: allowedValues(row.checks) }))
}

function allowedValues(checks: string[] | null): string[] | null {
  const list = checks?.find((check) => check.includes('= ANY (ARRAY['))
  return list ? [...list.matchAll(/'([^']*)'::text/g)].map((match) => match[1] ?? '') : null
}

const scalarTypes: Record<string, string> = {
  text: 'string',
  tsvector: 'string',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  // As a string, so that amounts of money are not rounded.
  numeric: 'string',
  'double precision': 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  'timestamp with time zone': 'Date',
  jsonb: 'ColumnType<unknown, string, string>',
  'text[]': 'string[]',
  'bigint[]': 'number[]',
}

function columnType({ table, name, type, nullable, hasDefault, computed, values }: Column): string {
  const scalar = values ? values.map((value) => `'${value}'`).join(' | ') : scalarTypes[type]
  if (!scalar) throw new Error(`scripts/tables.ts does not know the type ${type} of ${table}.${name}.`)
  const full = nullable ? `${scalar} | null` : scalar
  if (computed) return `GeneratedAlways<${full}>`
  // ColumnType can't be nested in Generated, so its insert type includes undefined.
  if (hasDefault && type === 'jsonb') return 'ColumnType<unknown, string | undefined, string>'
  return hasDefault ? `Generated<${full}>` : full
}

const typeName = (table: string) => camelName(`_${table}`)
