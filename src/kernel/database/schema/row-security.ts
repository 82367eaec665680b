import type pg from 'pg'
import { applicationRole } from '../connection-pool.ts'

/** Creates the role the service runs under, or reports who has to create it. */
export async function prepareRole(client: pg.Client) {
  const { rows } = await client.query<{ exists: boolean; member: boolean }>(
    `select count(*) > 0 as exists, coalesce(bool_or(pg_has_role(current_user, oid, 'member')), false) as member
     from pg_roles where rolname = $1`,
    [applicationRole],
  )
  try {
    if (!rows[0]?.exists) await client.query(`create role ${applicationRole} nologin`)
    if (!rows[0]?.member) await client.query(`grant ${applicationRole} to current_user`)
  } catch (error) {
    throw new Error(
      `The database user may not create or use the role ${applicationRole}. As an administrator of the server run: ` +
        `create role ${applicationRole} nologin; grant ${applicationRole} to <the user of CHORUS_DATABASE_URL>;`,
      { cause: error },
    )
  }
  await client.query(`grant usage on schema public to ${applicationRole}`)
  await client.query(`grant select on migrations to ${applicationRole}`)
}

/**
 * Grants privileges on every table and adds forced policies to every tenant table. Runs after each migration, so no migration can omit it.
 * A table whose comment is `append-only` gets select and insert only.
 */
export async function secureTables(client: pg.Client) {
  await client.query(`grant execute on all functions in schema public to ${applicationRole}`)
  for (const { name, key, granted, appendOnly, excess, secured, outdated } of await tables(client)) {
    const rights = appendOnly ? 'select, insert' : 'select, insert, update, delete'
    if (!granted) await client.query(`grant ${rights} on ${name} to ${applicationRole}`)
    if (excess) await client.query(`revoke update, delete on ${name} from ${applicationRole}`)
    // No subquery, which a cluster rejects in policies.
    const own = `${key} = chorus_account()`
    if (outdated) await client.query(`alter policy own_account on ${name} using (${own}) with check (${own})`)
    if (!key || secured) continue
    await client.query(`alter table ${name} enable row level security`)
    await client.query(`alter table ${name} force row level security`)
    await client.query(`create policy own_account on ${name} to ${applicationRole} using (${own}) with check (${own})`)
    // Backups and migrations run as the owner, to whom forced policies apply unless it is a superuser.
    await client.query(`create policy owner on ${name} to current_user using (true) with check (true)`)
  }
}

interface Table {
  name: string
  /** The account column; null if the table belongs to no account. */
  key: string | null
  granted: boolean
  appendOnly: boolean
  /** Append-only, but has update or delete privileges. */
  excess: boolean
  secured: boolean
  /** Its policy is in the form used before cluster support. */
  outdated: boolean
}

async function tables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select quote_ident(c.relname) as name, c.relrowsecurity as secured, marked.append_only as "appendOnly",
            (select bool_and(has_table_privilege($1, c.oid, needed))
             from unnest(case when marked.append_only then '{select,insert}' else '{select,insert,update,delete}' end::text[]) needed) as granted,
            marked.append_only and has_table_privilege($1, c.oid, 'update, delete') as excess,
            exists (select from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname
                    and p.policyname = 'own_account' and p.qual ilike '%select%') as outdated,
            case when c.relname = 'accounts' then 'id'
                 else (select attname from pg_attribute where attrelid = c.oid and attname = 'account_id') end as key
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     cross join lateral (select coalesce(obj_description(c.oid, 'pg_class') = 'append-only', false) as append_only) marked
     where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'migrations'
     order by c.relname`,
    [applicationRole],
  )
  return rows
}
