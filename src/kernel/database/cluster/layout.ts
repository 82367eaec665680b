import type pg from 'pg'

/**
 * Where a table lies on a cluster. All rows of an account lie on one node, so that what concerns one account is done there and nowhere
 * else; what is looked up before anybody knows the account stays with the coordinator.
 */
export type Place =
  /** With the other rows of the account this column names. */
  | { on: 'node of the account'; by: string }
  /** A copy on every node: small, hardly ever written, and joined with rows of accounts. */
  | { on: 'every node' }
  /** With the coordinator, and changed together with rows of accounts: both commits are one. */
  | { on: 'coordinator, known to the cluster' }
  /** With the coordinator; nothing else has to be whole with it. */
  | { on: 'coordinator' }

export interface Table {
  readonly name: string
  readonly place: Place
  /** Lies there already. */
  readonly done: boolean
}

const copiedEverywhere = ['short_hosts']

/**
 * Every table of the schema, those that others refer to first. The place is read off the schema: a primary key that leads with the
 * account says whose the rows are, and a column that names an account without leading says that it is looked up there.
 */
export async function readLayout(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Row>(tables)
  return rows.map(({ name, first, namesAccount, done }) => ({ name, place: placeOf(name, first, namesAccount), done }))
}

interface Row {
  name: string
  /** The first column of the primary key. */
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
