import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { freshDatabase } from '../support/database/database.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** Tables that belong to no account: coordination between processes, and lookups made before the account is known. */
const sharedTables = [
  'board_slugs',
  'rate_limits',
  'click_batches',
  'conversion_tag_accounts',
  'sending_state',
  'event_queue',
  'installation',
  'job_schedule',
  'job_workers',
  'jobs',
  'link_hashes',
  'migrations',
  'network_challenges',
  'network_publishing_pauses',
  'network_read_pauses',
  'network_usage',
  'profile_partitions',
  'push_routes',
  'short_hosts',
  'sign_in_attempts',
  'user_emails',
  'webhook_partitions',
]
/** The account itself: its id is the account id. */
const root = 'accounts'

interface Finding {
  table: string
  what: string
}

/**
 * Violations of the rule "account_id leads every key, and row security is forced". The inbox search index is exempt: each of its terms
 * contains the account.
 */
const violations = (url: string) =>
  ownerQuery<Finding>(
    url,
    `with tenant as (
       select c.oid, c.relname as name, c.relrowsecurity and c.relforcerowsecurity as secured,
              case when c.relname = $2 then 'id' else 'account_id' end as key
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> all ($1)),
     first_columns as (
       select t.name, i.indisprimary, i.indisunique, pg_get_indexdef(i.indexrelid, 1, true) as first, i.indexrelid::regclass::text as index, t.key
       from tenant t join pg_index i on i.indrelid = t.oid)
     select name as table, 'has no account_id' as what from tenant t
       where not exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = t.key and a.attnotnull)
     union all select name, 'does not force row security' from tenant where not secured
     union all select name, 'lacks the policy own_account' from tenant t
       where not exists (select from pg_policies p where p.tablename = t.name and p.policyname = 'own_account'
                         and p.roles = '{chorus_app}' and p.cmd = 'ALL' and p.with_check is not null)
     union all select t.name, 'has no primary key' from tenant t
       where not exists (select from first_columns f where f.name = t.name and f.indisprimary)
     union all select name, 'index ' || index || ' does not lead with the account' from first_columns where first <> key and index <> 'inbox_items_words'
     union all select t.name, 'foreign key ' || k.conname || ' leaves the account out' from tenant t join pg_constraint k on k.conrelid = t.oid
       where k.contype = 'f' and not exists (
         select from unnest(k.conkey) number join pg_attribute a on a.attrelid = t.oid and a.attnum = number where a.attname = t.key)
     union all select t.name, 'is owned by the role of the service' from tenant t join pg_class c on c.oid = t.oid
       where pg_get_userbyid(c.relowner) = 'chorus_app'
     order by 1, 2`,
    [sharedTables, root],
  )

test('every tenant table has the account in its keys and forces row-level security', async () => {
  expect(await violations(database.url)).toEqual([])
  const [{ count }] = (await ownerQuery<{ count: number }>(
    database.url,
    `select count(*)::int as count from pg_class where relkind = 'r' and relforcerowsecurity`,
  )) as [{ count: number }]
  expect(count, 'tables seen').toBeGreaterThanOrEqual(8)
})

/** Work queues: without row security, because workers serve all accounts. */
const workQueues = ['click_batches', 'event_queue', 'jobs', 'profile_partitions', 'webhook_partitions']

test('unique indexes of work queues start with the account', async () => {
  const keys = await ownerQuery<{ table: string; first: string }>(
    database.url,
    `select i.indrelid::regclass::text as table, pg_get_indexdef(i.indexrelid, 1, true) as first from pg_index i
     where i.indisunique and i.indrelid = any ($1::regclass[]) order by 1, i.indisprimary`,
    [workQueues],
  )
  expect(keys.filter(({ first }) => first !== 'account')).toEqual([])
  expect(new Set(keys.map(({ table }) => table))).toEqual(new Set(workQueues))
})

test('the check reports each violation of the table rules', async () => {
  const own = await freshDatabase()
  await ownerQuery(
    own.url,
    `create table strays (id text primary key, account_id text, label text unique);
     create table keyless (account_id text not null, id text, stray text references strays (id));
     create table taken (account_id text primary key);
     alter table taken owner to chorus_app;
     alter table taken enable row level security, force row level security;
     create policy own_account on taken to chorus_app using (true) with check (true)`,
  )
  const unguarded = ['does not force row security', 'lacks the policy own_account']
  expect((await violations(own.url)).map(({ table, what }) => `${table} ${what}`).sort()).toEqual(
    [
      ...['strays', 'keyless'].flatMap((table) => unguarded.map((what) => `${table} ${what}`)),
      'strays has no account_id',
      'strays index strays_label_key does not lead with the account',
      'strays index strays_pkey does not lead with the account',
      'keyless has no primary key',
      'keyless foreign key keyless_stray_fkey leaves the account out',
      'taken is owned by the role of the service',
    ].sort(),
  )
  await own.drop()
})

test('the database role of the service owns no tables and cannot bypass row-level security', async () => {
  const [role] = await ownerQuery<{ bypass: boolean; super: boolean; owns: number }>(
    database.url,
    `select rolbypassrls as bypass, rolsuper as super, (select count(*)::int from pg_class where relowner = r.oid) as owns
     from pg_roles r where rolname = 'chorus_app'`,
  )
  expect(role).toEqual({ bypass: false, super: false, owns: 0 })
})
