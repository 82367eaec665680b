import type pg from 'pg'
import { applicationRole } from '../connection-pool.ts'

/** Makes the role the service runs under, or says who must. */
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
 * Gives every table its grants and every tenant table its forced policies.
 * Run after each migration, so that no migration can forget it. A table whose comment is `append-only` is read and added to, never changed.
 */
export async function secureTables(client: pg.Client) {
  await client.query(`grant execute on all functions in schema public to ${applicationRole}`)
  for (const { name, key, granted, appendOnly, excess, secured, outdated } of await tables(client)) {
    const rights = appendOnly ? 'select, insert' : 'select, insert, update, delete'
    if (!granted) await client.query(`grant ${rights} on ${name} to ${applicationRole}`)
    if (excess) await client.query(`revoke update, delete on ${name} from ${applicationRole}`)
    // Without a subquery, which a cluster refuses in policies.
    const own = `${key} = chorus_account()`
    if (outdated) await client.query(`alter policy own_account on ${name} using (${own}) with check (${own})`)
    if (!key || secured) continue
    await client.query(`alter table ${name} enable row level security`)
    await client.query(`alter table ${name} force row level security`)
    await client.query(`create policy own_account on ${name} to ${applicationRole} using (${own}) with check (${own})`)
    // Backups and migrations run as the owner, who is bound by forced policies unless a superuser.
    await client.query(`create policy owner on ${name} to current_user using (true) with check (true)`)
  }
}

interface Table {
  name: string
  /** The column that names the account; null where the table belongs to no account. */
  key: string | null
  granted: boolean
  appendOnly: boolean
  /** Append-only, and may be changed all the same. */
  excess: boolean
  secured: boolean
  /** Its policy is written as it was before clusters. */
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
