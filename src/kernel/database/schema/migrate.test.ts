import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { migrationFolders } from '#main/project.ts'
import { ownerQuery } from '../owner.ts'
import { plainOwnersDatabase } from '../transfer/transfer.fixture.ts'
import { migrate } from './migrate.ts'

const folders: string[] = []
let area: string
let other: string
beforeEach(async () => {
  area = await mkdtemp(join(tmpdir(), 'chorus-area-'))
  other = await mkdtemp(join(tmpdir(), 'chorus-area-'))
  folders.push(area, other)
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true })
})

test('migrations are applied in numeric order across all folders', async () => {
  await writeFile(join(area, '9001-plants.sql'), 'create table plants (account_id text primary key)')
  await writeFile(join(other, '9002-roots.sql'), 'alter table plants add column roots integer')
  await writeFile(
    join(area, '9003-leaves.sql'),
    'update plants set roots = 1; alter table plants add column leaves integer',
  )
  const { url, drop } = await plainOwnersDatabase(inject('serverUrl'))
  const applied = await migrate(url, [...migrationFolders, other, area])
  expect(applied.slice(-3)).toEqual(['9001-plants.sql', '9002-roots.sql', '9003-leaves.sql'])
  const policies = await ownerQuery(url, `select policyname from pg_policies where tablename = 'plants' order by 1`)
  expect(policies).toEqual([{ policyname: 'own_account' }, { policyname: 'owner' }])
  await drop()
})

test.each([
  [
    'of two areas',
    '9001-plants.sql',
    '9001-roots.sql',
    'have the same number. Give one of them a free one, such as 9002.',
  ],
  ['of an area and the upgrade', '9001-plants.sql', '0040-roots.sql', '0040-event-scopes.sql and 0040-roots.sql have'],
  ['without a number', '9001-plants.sql', 'roots.sql', 'has no number. Name it NNNN-roots.sql.'],
])('migrations %s are refused because their order is ambiguous', async (_title, first, second, refusal) => {
  await writeFile(join(area, first), 'select 1')
  await writeFile(join(other, second), 'select 1')
  await expect(migrate(inject('serverUrl'), [...migrationFolders, area, other])).rejects.toThrow(refusal)
})
