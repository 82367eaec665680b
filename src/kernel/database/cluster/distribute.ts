import pg from 'pg'
import { applicationRole } from '../connection-pool.ts'
import { isDistributed, obstacle } from './cluster.ts'

type Report = (line: string) => void

/** The remaining steps to distribute all tables, in a valid order. */
export const planDistribution = (url: string): Promise<Table[]> =>
  connected(url, async (client) => {
    await refuseObstacle(client)
    return waiting(client)
  })

/**
 * Distributes the schema over the nodes. Each table is its own step and finished ones are skipped, so it can be interrupted and restarted.
 * The database must not be in use meanwhile.
 */
export const distribute = (url: string, report: Report): Promise<Table[]> =>
  connected(url, async (client) => {
    await refuseObstacle(client)
    return layOut(client, report)
  })

/** Distributes tables that a migration created in a database that is already distributed. */
export async function distributeMore(client: pg.Client, report: Report): Promise<void> {
  if (await isDistributed((text) => client.query(text))) await layOut(client, report)
}

async function layOut(client: pg.Client, report: Report): Promise<Table[]> {
  await prepareNodes(client)
  const tables = await waiting(client)
  for (const [index, table] of tables.entries()) {
    report(`table ${index + 1} of ${tables.length}: ${table.name} to ${described(table.place)}`)
    await put(client, table)
  }
  return tables
}

export const described = (place: Place) =>
  place.on === 'node of the account'
    ? `the node of the account (${place.by})`
    : `the ${place.on}`.replace('the every', 'every')

const waiting = async (client: pg.Client) =>
  (await readLayout(client)).filter(({ place, done }) => place.on !== 'coordinator' && !done)

/** Prerequisites on the other nodes: the application role and the functions. */
async function prepareNodes(client: pg.Client) {
  const { rows: roles } = await client.query(`select from pg_roles where rolname = $1 and rolcanlogin`, [
    applicationRole,
  ])
  if (roles.length === 0) await client.query(`alter role ${applicationRole} login`)
  const { rows: functions } = await client.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`,
  )
  for (const { name } of functions) await client.query('select create_distributed_function($1::regprocedure)', [name])
}

async function put(client: pg.Client, { name, place }: Table) {
  const table = `public.${pg.escapeIdentifier(name)}`
  if (place.on === 'node of the account')
    await client.query('select create_distributed_table($1::regclass, $2, colocate_with => $3)', [
      table,
      place.by,
      name === 'accounts' ? 'none' : 'public.accounts',
    ])
  else if (place.on === 'every node') await client.query('select create_reference_table($1::regclass)', [table])
  else await client.query('select citus_add_local_table_to_metadata($1::regclass)', [table])
}

async function refuseObstacle(client: pg.Client) {
  const sentence = await obstacle(client)
  if (sentence) throw new Error(sentence)
}

async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: 'chorus-distribute' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Location of a table on a cluster. All rows of an account are on one node, so statements for one account run there only; lookups made
 * before the account is known stay on the coordinator.
 */
export type Place =
  /** Colocated with the other rows of the account in this column. */
  | { on: 'node of the account'; by: string }
  /** A reference table with a copy on every node: small, rarely written, and joined with rows of accounts. */
  | { on: 'every node' }
  /** On the coordinator, and changed together with rows of accounts in one distributed commit. */
  | { on: 'coordinator, known to the cluster' }
  /** On the coordinator, without transactional consistency with other nodes. */
  | { on: 'coordinator' }

export interface Table {
  readonly name: string
  readonly place: Place
  /** Already distributed as required. */
  readonly done: boolean
}

const copiedEverywhere = ['short_hosts']

/**
 * Every table of the schema, referenced tables first. The location follows from the schema: a primary key that starts with the account
 * makes the table distributed, and an account column elsewhere makes it a lookup table on the coordinator.
 */
async function readLayout(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Row>(tables)
  return rows.map(({ name, first, namesAccount, done }) => ({ name, place: placeOf(name, first, namesAccount), done }))
}

interface Row {
  name: string
  /** First column of the primary key. */
  first: string
  namesAccount: boolean
  done: boolean
}

function placeOf(name: string, first: string, namesAccount: boolean): Place {
  if (name === 'accounts') return { on: 'node of the account', by: 'id' }
  if (first === 'account_id' || first === 'account') return { on: 'node of the account', by: first }
  if (copiedEverywhere.includes(name)) return { on: 'every node' }
  return { on: namesAccount ? 'coordinator, known to the cluster' : 'coordinator' }
}

const tables = `
  with recursive own as (
    select c.oid, c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')),
  depth (oid, level) as (
    select oid, 0 from own
    union
    select k.conrelid, depth.level + 1 from depth join pg_constraint k
      on k.confrelid = depth.oid and k.contype = 'f' and k.conrelid <> k.confrelid
    where depth.level < 30)
  select own.relname::text as name,
    coalesce((select a.attname::text from pg_index i join pg_attribute a on a.attrelid = own.oid and a.attnum = i.indkey[0]
      where i.indrelid = own.oid and i.indisprimary), '') as first,
    exists (select from pg_attribute a where a.attrelid = own.oid and a.attname = 'account' and not a.attisdropped) as "namesAccount",
    exists (select from pg_dist_partition d where d.logicalrelid = own.oid) as done
  from own join depth using (oid)
  group by own.oid, own.relname order by own.relname <> 'accounts', max(level), own.relname`
