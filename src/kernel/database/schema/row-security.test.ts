import { expect, test } from 'vitest'
import { migrationFolders } from '#main/project.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { applicationRole } from '../connection-pool.ts'
import { ownerQuery } from '../owner.ts'
import { migrationsAnd, removeAdded } from '../transfer/transfer.fixture.ts'
import { migrate } from './migrate.ts'

test('after a migration the service has privileges on every table, including new ones and those that lost one', async () => {
  const { url, drop } = await freshDatabase()
  const statements = `create table notes (id int primary key); revoke delete on teams from ${applicationRole}`
  const folders = await migrationsAnd(migrationFolders, '9998-rights.sql', statements)
  await migrate(url, folders)
  const lacking = await ownerQuery(
    url,
    `select relname as table, needed from pg_class, unnest('{select,insert,update,delete}'::text[]) needed
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
       and not has_table_privilege($1, oid, needed) order by needed`,
    [applicationRole],
  )
  expect(lacking, 'all tables except the audit log').toEqual([
    { table: 'audit_log', needed: 'delete' },
    { table: 'audit_log', needed: 'update' },
  ])
  expect(await ownerQuery(url, 'select count(*)::int from notes')).toEqual([{ count: 0 }])
  await removeAdded(folders)
  await drop()
})

test('a table marked append-only loses update and delete privileges, and regains them when unmarked', async () => {
  const { url, drop } = await freshDatabase()
  const rights = () =>
    ownerQuery<{ needed: string }>(
      url,
      `select needed from unnest('{select,insert,update,delete}'::text[]) needed where has_table_privilege($1, 'teams', needed)`,
      [applicationRole],
    ).then((rows) => rows.map(({ needed }) => needed))
  const folders = await migrationsAnd(migrationFolders, '9998-log.sql', `comment on table teams is 'append-only'`)
  await migrate(url, folders)
  expect(await rights()).toEqual(['select', 'insert'])
  const next = await migrationsAnd(folders, '9999-table.sql', 'comment on table teams is null')
  await migrate(url, next)
  expect(await rights()).toEqual(['select', 'insert', 'update', 'delete'])
  for (const one of [folders, next]) await removeAdded(one)
  await drop()
})
