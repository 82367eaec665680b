import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownerQuery } from '../owner.ts'
import { migrate } from '../schema/migrate.ts'
import type { MigrationFolders } from '../schema/migration-files.ts'

export interface OwnedDatabase {
  url: string
  drop(): Promise<void>
}

/** A database without tables whose owner is not a superuser, on the same server as the given one. */
export async function plainOwnersDatabase(serverUrl: string): Promise<OwnedDatabase> {
  const name = `transfer_${randomBytes(6).toString('hex')}`
  await ownerQuery(serverUrl, `create role ${name} login createrole password '${name}'`)
  await ownerQuery(serverUrl, `grant chorus_app to ${name}`)
  await ownerQuery(serverUrl, `grant ${name} to current_user`)
  await ownerQuery(serverUrl, `create database ${name} owner ${name}`)
  const url = Object.assign(new URL(serverUrl), { username: name, password: name, pathname: `/${name}` }).href
  return {
    url,
    async drop() {
      await ownerQuery(serverUrl, `drop database if exists ${name} with (force)`)
      await ownerQuery(serverUrl, `drop role ${name}`)
    },
  }
}

/** The project's migrations and an additional one. */
export async function migrationsAnd(folders: MigrationFolders, name: string, sql: string): Promise<MigrationFolders> {
  const more = await mkdtemp(join(tmpdir(), 'chorus-migrations-'))
  await writeFile(join(more, name), sql)
  return [...folders, more]
}

/** Removes what `migrationsAnd` added last. */
export const removeAdded = (folders: MigrationFolders) => rm(folders.at(-1) as string, { recursive: true })

/** Types, names and references that are difficult to copy. */
export const hardTables = `
  create table "odd ""name" (
    account_id text collate "C" not null references accounts (id), id bigint generated always as identity,
    "select" text, bytes bytea, words text[], numbers bigint[], amount numeric, ratio double precision,
    document jsonb, moment timestamptz, "plain" timestamp, day date, span interval, flag boolean,
    shout text generated always as (upper("select")) stored, primary key (account_id, id));
  create table chickens (account_id text collate "C" not null, id text not null, egg text not null, primary key (account_id, id));
  create table eggs (account_id text collate "C" not null, id text not null, chicken text not null, mother text,
    primary key (account_id, id), foreign key (account_id, chicken) references chickens (account_id, id),
    foreign key (account_id, mother) references eggs (account_id, id));
  alter table chickens add constraint hatched foreign key (account_id, egg) references eggs (account_id, id)
    deferrable initially deferred;
  create table parts (account_id text collate "C" not null, id integer not null, primary key (account_id, id)) partition by range (id);
  create table parts_low partition of parts for values from (0) to (10);
  create table parts_high partition of parts for values from (10) to (20);`

const hardTexts = [
  '',
  ' ',
  '\\',
  '\\.',
  '\\N',
  'line\nfeed',
  '\r\n',
  '\ttab',
  '\\.\n',
  '\n\\.\n',
  'é 漢字 🙂 \u2028',
  '"\'{},',
]

export async function fillHardTables(url: string) {
  await ownerQuery(
    url,
    `insert into accounts values ('a', now(), now(), E'A\\n\\\\.\\n', 'active'), ('b', now(), now(), '', 'active')`,
  )
  await ownerQuery(
    url,
    `insert into users (account_id, id, created, modified, first_name, last_name, email, password_hash)
     select 'a', i::text, now(), now(), t, t, i || '@a', case when i > 3 then t end
     from unnest($1::text[]) with ordinality x (t, i)`,
    [hardTexts],
  )
  await ownerQuery(
    url,
    `insert into "odd ""name" (account_id, "select", bytes, words, numbers, amount, ratio, document, moment, "plain", day, span, flag)
     select 'b', t, convert_to(t, 'UTF8') || '\\x00ff0a5c2e0a'::bytea, array[t, null, t], '{1,-9223372036854775808}',
       'NaN', 0.1::float8 + 0.2, to_jsonb(t), '294276-12-31 23:59:59.999999+00', '-infinity', '4713-01-01 BC', '-1 mon 3 days 4.5 s', null
     from unnest($1::text[]) t`,
    [hardTexts],
  )
  await ownerQuery(url, `insert into "odd ""name" (account_id, words, numbers) values ('a', '{}', null)`)
  await ownerQuery(
    url,
    `with c as (insert into chickens values ('a', 'c', 'e')), first as (insert into eggs values ('a', 'e', 'c', 'e2'))
     insert into eggs values ('a', 'e2', 'c', null)`,
  )
  await ownerQuery(url, `insert into parts select 'a', i from generate_series(0, 19) i`)
  await ownerQuery(url, `insert into job_workers values ('process', now())`)
  await ownerQuery(url, `insert into installation values (true, now(), 'key')`)
}

/** Every row of every table as text, except coordination data and the age marker of a copy. */
export async function allRows(url: string): Promise<Record<string, string[]>> {
  const tables = await ownerQuery<{ name: string; quoted: string }>(
    url,
    `select relname as name, quote_ident(relname) as quoted from pg_class where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and relname not in ('migrations', 'job_workers', 'sending_state') order by 1`,
  )
  const parts = tables.map(
    ({ quoted }, place) => `select ${place} as place, t::text collate "C" as text from ${quoted} t`,
  )
  const found = await ownerQuery<{ place: number; text: string }>(url, `${parts.join(' union all ')} order by 1, 2`)
  const rows: Record<string, string[]> = Object.fromEntries(tables.map(({ name }) => [name, []]))
  for (const { place, text } of found) rows[tables[place]?.name as string]?.push(text)
  return rows
}

/** Properties that must not change: row-level security, policies and constraints. */
export async function rules(url: string): Promise<unknown[]> {
  return ownerQuery(
    url,
    `select relname as name, relrowsecurity as secured, relforcerowsecurity as forced,
       (select array_agg(polname order by polname) from pg_policy where polrelid = c.oid)::text as policies,
       (select array_agg(conname || pg_get_constraintdef(k.oid) order by conname) from pg_constraint k where conrelid = c.oid) as constraints
     from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  )
}

export async function migrated(database: OwnedDatabase, folders: MigrationFolders): Promise<OwnedDatabase> {
  await migrate(database.url, folders)
  return database
}
