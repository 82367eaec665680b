import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { migrationsFolder } from '#main/project.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { applicationRole } from '../lender.ts'
import { ownerQuery } from '../owner.ts'
import { migrationsAnd } from '../transfer/transfer.fixture.ts'
import { migrate } from './migrate.ts'

test('after a migration the service may use every table: new ones, and those that lost a right', async () => {
  const { url, drop } = await freshDatabase()
  const statements = `create table notes (id int primary key); revoke delete on teams from ${applicationRole}`
  const folder = await migrationsAnd(migrationsFolder, '9998-rights.sql', statements)
  await migrate(url, folder)
  const lacking = await ownerQuery(
    url,
    `select relname as table, needed from pg_class, unnest('{select,insert,update,delete}'::text[]) needed
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
       and not has_table_privilege($1, oid, needed)`,
    [applicationRole],
  )
  expect(lacking).toEqual([])
  expect(await ownerQuery(url, 'select count(*)::int from notes')).toEqual([{ count: 0 }])
  await rm(folder, { recursive: true })
  await drop()
})
