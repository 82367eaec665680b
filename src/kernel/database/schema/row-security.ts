import type pg from 'pg'
import { applicationRole } from '../lender.ts'

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
 * Run after each migration, so that no migration can forget it.
 */
export async function secureTables(client: pg.Client) {
  await client.query(`grant execute on all functions in schema public to ${applicationRole}`)
  for (const { name, key, granted, secured, outdated } of await tables(client)) {
    if (!granted) await client.query(`grant select, insert, update, delete on ${name} to ${applicationRole}`)
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
  secured: boolean
  /** Its policy is written as it was before clusters. */
  outdated: boolean
}

async function tables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select quote_ident(c.relname) as name, c.relrowsecurity as secured,
            (select bool_and(has_table_privilege($1, c.oid, needed))
             from unnest('{select,insert,update,delete}'::text[]) needed) as granted,
            exists (select from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname
                    and p.policyname = 'own_account' and p.qual ilike '%select%') as outdated,
            case when c.relname = 'accounts' then 'id'
                 else (select attname from pg_attribute where attrelid = c.oid and attname = 'account_id') end as key
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'migrations'
     order by c.relname`,
    [applicationRole],
  )
  return rows
}
