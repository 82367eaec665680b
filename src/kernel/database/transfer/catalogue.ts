import pg from 'pg'
import { isDistributed } from '../cluster/cluster.ts'

/** Metadata in the first line of a backup, and of the source of a move. */
export interface Header {
  format: 'chorus-backup'
  formatVersion: number
  /** The version of Chorus that created it. */
  version: string
  date: string
  migrations: AppliedMigration[]
  /** In a valid loading order. */
  tables: Table[]
  sequences: Sequence[]
}

export interface AppliedMigration {
  name: string
  checksum: string
}

export interface Table {
  name: string
  /** Without generated columns. */
  columns: string[]
  rowEstimate: number
}

export interface Sequence {
  name: string
  value: string
  called: boolean
}

/** A foreign key between two tables. */
export interface Reference {
  name: string
  table: string
  target: string
  deferrable: boolean
  deferred: boolean
}

/** The target keeps its own list of migrations, and the current workers mean nothing to other processes. */
const left = ['migrations', 'job_workers']

export function qualified(name: string): string {
  return `public.${pg.escapeIdentifier(name)}`
}

/** The tables whose rows are copied. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const bytes = (await isDistributed((text) => client.query(text))) ? bytesOnNodes : 'pg_relation_size(c.oid)'
  const { rows } = await client.query<Table>(
    `select c.relname::text as name, ${columns} as columns, ${rowEstimate} as "rowEstimate"
     from pg_class c cross join lateral (select ${bytes} as bytes) size
     where c.relname <> all($1) and ${ownTable} order by c.relname`,
    [left],
  )
  return rows
}

/** Every table except those of extensions; includes `migrations` and workers. */
export async function readTableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_class c where ${ownTable} order by c.relname`,
  )
  return rows.map(({ name }) => name)
}

export async function readReferences(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `select k.conname::text as name, t.relname::text as table, r.relname::text as target,
            k.condeferrable as deferrable, k.condeferred as deferred
     from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class r on r.oid = k.confrelid
     where k.contype = 'f' and k.conparentid = 0 and k.connamespace = 'public'::regnamespace
     order by t.relname, k.conname`,
  )
  return rows
}

export async function readMigrations(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select name, checksum from public.migrations order by name collate "C"',
  )
  return rows
}

export async function readSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows: names } = await client.query<{ name: string }>(
    `select sequencename::text as name from pg_sequences where schemaname = 'public' order by 1`,
  )
  const sequences: Sequence[] = []
  for (const { name } of names) {
    const { rows } = await client.query<Omit<Sequence, 'name'>>(
      `select last_value::text as value, is_called as called from ${qualified(name)}`,
    )
    sequences.push(...rows.map((state) => ({ name, ...state })))
  }
  return sequences
}

export async function countRows(client: pg.Client, table: Table): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`select count(*) from ${qualified(table.name)}`)
  return Number(rows[0]?.count)
}

/** A partition is copied with its parent table. */
const ownTable = `c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and not exists (select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

const columns = `(select coalesce(array_agg(a.attname::text order by a.attnum), '{}') from pg_attribute a
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')`

const bytesOnNodes = `case when exists (select from pg_dist_partition d where d.logicalrelid = c.oid)
  then citus_relation_size(c.oid) else pg_relation_size(c.oid) end`

/** The density at the last vacuum times the current size; before the first vacuum a guess of 100 bytes per row. */
const rowEstimate = `ceil(case
  when c.relpages > 0 and c.reltuples >= 0
    then c.reltuples / c.relpages * greatest(size.bytes / current_setting('block_size')::bigint, 1)
  else size.bytes / 100 end)::double precision`

/** Puts a table after the tables it refers to; in a cycle, some reference points forward. */
export function loadingOrder(tables: Table[], references: Reference[]): Table[] {
  const waiting = new Map(tables.map((table) => [table.name, table]))
  const ordered: Table[] = []
  while (waiting.size > 0) {
    const blocked = new Set(references.filter((reference) => looksAt(reference, waiting)).map(({ table }) => table))
    const next = [...waiting.values()].find(({ name }) => !blocked.has(name)) ?? [...waiting.values()][0]!
    waiting.delete(next.name)
    ordered.push(next)
  }
  return ordered
}

/** The foreign keys that can't be checked table by table in this order. */
export function lookingAhead(tables: Table[], references: Reference[]): Reference[] {
  const position = new Map(tables.map(({ name }, index) => [name, index]))
  return references.filter(({ table, target }) => (position.get(table) ?? 0) < (position.get(target) ?? 0))
}

function looksAt({ table, target }: Reference, waiting: ReadonlyMap<string, Table>): boolean {
  // References of a table to itself are checked once all its rows are loaded.
  return table !== target && waiting.has(target)
}
