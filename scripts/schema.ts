import type pg from 'pg'
import { snakeName } from '#kernel/database/statement/statement.ts'
import { areas } from '#main/registry.ts'

/** Writes the schema after all migrations as SQL that `psql -f` runs on an empty database. */
export async function describeSchema(client: pg.Client): Promise<string> {
  await client.query(`set search_path = public; set time zone 'UTC'`)
  const tables = await readTables(client)
  const migrations = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  const recorded = migrations.rows.map(({ name, checksum }) => `  ('${name}', '${checksum}')`)
  return [
    '-- Written by `npm run generate` from the migrations. Do not edit.\n-- `psql -f schema.sql` creates the same schema in an empty database.',
    `do $$ begin\n  if not exists (select from pg_roles where rolname = 'chorus_app') then create role chorus_app nologin; end if;\nend $$;`,
    ...inAreas(tables).flatMap(([area, members]) => [`-- ${area}`, ...members.map(tableText)]),
    '-- Functions',
    ...(await readFunctions(client)),
    '-- Privileges and row-level security',
    privileges(tables),
    ...tables.filter(({ policies }) => policies.length > 0).map(rowSecurity),
    '-- Applied migrations',
    `insert into migrations (name, checksum) values\n${recorded.join(',\n')};`,
    '',
  ].join('\n\n')
}

interface Column {
  name: string
  type: string
  collation: string | null
  required: boolean
  standard: string | null
  identity: string
  generated: boolean
  storage: string | null
}

interface Constraint {
  name: string
  kind: 'p' | 'u' | 'f' | 'c'
  columns: string[]
  target: string | null
  text: string
}

interface Policy {
  name: string
  condition: string
}

export interface Table {
  name: string
  options: string | null
  note: string | null
  columns: Column[]
  constraints: Constraint[]
  indexes: string[]
  policies: Policy[]
  rights: string[]
}

export async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname::text as name, array_to_string(c.reloptions, ', ') as options, obj_description(c.oid, 'pg_class') as note,
      (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'collation', case when a.attcollation <> y.typcollation then l.collname end, 'required', a.attnotnull,
          'standard', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity, 'generated', a.attgenerated <> '',
          'storage', case when a.attstorage <> y.typstorage then a.attstorage end) order by a.attnum), '[]')
       from pg_attribute a join pg_type y on y.oid = a.atttypid left join pg_collation l on l.oid = a.attcollation
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select coalesce(json_agg(json_build_object('name', k.conname, 'kind', k.contype, 'text', pg_get_constraintdef(k.oid),
          'target', (select relname from pg_class where oid = k.confrelid), 'columns', (select array_agg(a.attname order by place)
            from unnest(k.conkey) with ordinality key (number, place) join pg_attribute a on a.attrelid = c.oid and a.attnum = key.number))
          order by k.contype = 'p' desc, k.contype, k.conname), '[]')
       from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')) as constraints,
      (select coalesce(json_agg(pg_get_indexdef(i.indexrelid) order by i.indisunique desc, pg_get_indexdef(i.indexrelid)), '[]') from pg_index i
       where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))) as indexes,
      (select coalesce(json_agg(json_build_object('name', policyname, 'condition', qual) order by policyname), '[]') from pg_policies
       where schemaname = 'public' and tablename = c.relname) as policies,
      (select coalesce(json_agg(needed order by place), '[]') from unnest('{select,insert,update,delete}'::text[]) with ordinality one (needed, place)
       where has_table_privilege('chorus_app', c.oid, needed)) as rights
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`)
  return rows
}

/** The tables by area, each after the tables that it refers to. */
export function inAreas(tables: readonly Table[]): [area: string, tables: Table[]][] {
  const owners = new Map(areas.flatMap(({ name, tables: own = [] }) => own.map((table) => [snakeName(table), name])))
  const ownerOf = (table: string) => owners.get(table) ?? 'kernel'
  const names = [...new Set([...areas.map(({ name }) => name), 'kernel'])].filter((name) =>
    tables.some((table) => ownerOf(table.name) === name),
  )
  const members = (area: string) => tables.filter(({ name }) => ownerOf(name) === area)
  const referred = (table: Table) => table.constraints.flatMap(({ target }) => (target ? [target] : []))
  const ordered = inOrder(
    names,
    (area) => area,
    (area) => members(area).flatMap((table) => referred(table).map(ownerOf)),
  )
  return ordered.map((area) => [area, inOrder(members(area), ({ name }) => name, referred)])
}

/** Each item after those it needs, otherwise in the given order. */
function inOrder<Item>(items: readonly Item[], nameOf: (item: Item) => string, needs: (item: Item) => string[]) {
  const ordered = new Set<Item>()
  const add = (item: Item) => {
    if (ordered.has(item)) return
    for (const name of needs(item)) {
      const needed = items.find((one) => nameOf(one) === name)
      if (needed && needed !== item) add(needed)
    }
    ordered.add(item)
  }
  for (const item of items) add(item)
  return [...ordered]
}

export function tableText(table: Table): string {
  const { name, columns, constraints, indexes, options, note } = table
  const lines = [
    ...columns.map((column) => columnText(table, column)),
    ...constraints.filter((constraint) => !isInline(constraint)).map((constraint) => constraintText(table, constraint)),
  ]
  const storage = columns.flatMap((column) =>
    column.storage ? [`alter table ${name} alter column ${column.name} set storage external;`] : [],
  )
  return [
    `create table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${options ? ` with (${options.replace('=', ' = ')})` : ''};`,
    ...storage,
    ...indexes.map((index) => `${indexText(index)};`),
    ...(note ? [`comment on table ${name} is '${note}';`] : []),
  ].join('\n')
}

const isInline = ({ kind, columns }: Constraint) => columns.length === 1 && kind !== 'u'

export function columnText(table: Table, { name, type, collation, required, standard, identity, generated }: Column) {
  const own = table.constraints.filter((constraint) => isInline(constraint) && constraint.columns[0] === name)
  const isKey = own.some(({ kind }) => kind === 'p')
  return [
    name,
    type.replace('timestamp with time zone', 'timestamptz'),
    collation && `collate "${collation}"`,
    required && !isKey && 'not null',
    generated && `generated always as (${tidy(standard ?? '')}) stored`,
    identity && `generated ${identity === 'a' ? 'always' : 'by default'} as identity`,
    !generated && standard && `default ${standard.replace(/^('(?:[^']|'')*')::[\w []*\]?$/, '$1')}`,
    ...own.map((constraint) => inlineText(table, constraint)),
  ]
    .filter(Boolean)
    .join(' ')
}

function inlineText(table: Table, constraint: Constraint): string {
  const text = bodyOf(constraint)
    .replace(/^primary key .*/, 'primary key')
    .replace(/^foreign key \(\w+\) /, '')
  return named(table, constraint) + text
}

const constraintText = (table: Table, constraint: Constraint) => named(table, constraint) + bodyOf(constraint)

/** Names that PostgreSQL gives by itself are left out. */
function named({ name: table }: Table, { name, kind, columns }: Constraint): string {
  const usual = {
    p: `${table}_pkey`,
    u: `${table}_${columns.join('_')}_key`,
    f: `${table}_${columns.join('_')}_fkey`,
    c: columns.length === 1 ? `${table}_${columns[0]}_check` : '',
  }[kind]
  return name === usual ? '' : `constraint ${name} `
}

function bodyOf({ kind, text }: Constraint): string {
  if (kind === 'c') return `check (${tidy(text.slice('CHECK ('.length, -1))})`
  return text
    .replace(/^PRIMARY KEY/, 'primary key')
    .replace(/^UNIQUE/, 'unique')
    .replace(/^FOREIGN KEY/, 'foreign key')
    .replace(/ REFERENCES (\w+)\(/, ' references $1 (')
    .replace('ON DELETE CASCADE', 'on delete cascade')
}

function indexText(text: string): string {
  const [, unique, name, table, method, keys = '', include, where] =
    /^CREATE (UNIQUE )?INDEX (\S+) ON public\.(\S+) USING (\w+) \((.*?)\)(?: INCLUDE \((.*?)\))?(?: WHERE (.*))?$/.exec(
      text,
    ) ?? []
  return [
    `create ${unique ? 'unique ' : ''}index ${name} on ${table}`,
    method === 'btree' ? '' : ` using ${method}`,
    ` (${tidy(keys)})`,
    include ? ` include (${include})` : '',
    where ? ` where ${tidy(where)}` : '',
  ].join('')
}

/** An expression as a person would write it. */
function tidy(text: string): string {
  const bare = text.replace(/::text\b(?!\[)/g, '').replace(/"(\w+)"/g, '$1')
  const listed = bare.replace(/= ANY \(ARRAY\[([^[\]=]*)\]\)/g, 'in ($1)')
  return flat(listed)
    .replace(/\b(?:COALESCE|NULLIF|NOT|IS|NULL|ARRAY)\b/g, (keyword) => keyword.toLowerCase())
    .replace(/^(\w+) >= (\d+) and \1 <= (\d+)$/, '$1 between $2 and $3')
}

/** Drops parentheses that precedence makes unnecessary. */
function flat(text: string): string {
  const inner = withoutParentheses(text)
  for (const [operator, separator] of [
    [' OR ', ' or '],
    [' AND ', ' and '],
  ] as const) {
    const parts = split(inner, operator)
    if (parts.length < 2) continue
    return parts
      .map((part) => (split(withoutParentheses(part), ' OR ').length > 1 ? `(${flat(part)})` : flat(part)))
      .join(separator)
  }
  return inner
}

function withoutParentheses(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text
  let depth = 0
  for (const [at, char] of [...text].entries()) {
    if (char === '(') depth++
    if (char === ')') depth--
    if (depth === 0 && at < text.length - 1) return text
  }
  return withoutParentheses(text.slice(1, -1))
}

function split(text: string, operator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    if (depth === 0 && text.startsWith(operator, at)) {
      parts.push(text.slice(start, at))
      start = at + operator.length
    }
  }
  return [...parts, text.slice(start)]
}

async function readFunctions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; text: string; open: boolean }>(`
    select p.oid::regprocedure::text as name, rtrim(pg_get_functiondef(p.oid), E'\n') as text, has_function_privilege('public', p.oid, 'execute') as open
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by p.proname`)
  return rows.map(({ name, text, open }) =>
    [
      `${text.replace('CREATE OR REPLACE FUNCTION public.', 'create function ')};`,
      ...(open ? [] : [`revoke all on function ${name} from public;`]),
    ].join('\n'),
  )
}

function privileges(tables: readonly Table[]): string {
  const kinds = new Map<string, string[]>()
  for (const { name, rights } of tables) kinds.set(rights.join(', '), [...(kinds.get(rights.join(', ')) ?? []), name])
  return [
    'grant usage on schema public to chorus_app;',
    'grant execute on all functions in schema public to chorus_app;',
    ...[...kinds].map(([rights, names]) => `grant ${rights} on\n  ${names.join(',\n  ')}\nto chorus_app;`),
  ].join('\n')
}

function rowSecurity({ name, policies }: Table): string {
  return [
    `alter table ${name} enable row level security, force row level security;`,
    ...policies.map((policy) => {
      const role = policy.name === 'owner' ? 'current_user' : 'chorus_app'
      const condition = withoutParentheses(policy.condition)
      return `create policy ${policy.name} on ${name} to ${role} using (${condition}) with check (${condition});`
    }),
  ].join('\n')
}
