import { expect, inject, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { migrationFolders } from '#main/project.ts'

test('dashboards from templates without a creator get the first admin of their account', async () => {
  const database = await plainOwnersDatabase(inject('serverUrl'))
  const ask = <Row extends object>(text: string, values: unknown[] = []) => ownerQuery<Row>(database.url, text, values)
  await migrate(database.url, migrationFolders, () => {}, '0036-saved-views.sql')
  const accounts = ['001first0000000', '001second000000', '001empty0000000']
  for (const id of accounts)
    await ask(`insert into accounts (id, created, modified, name) values ($1, now(), now(), 'Example')`, [id])
  const users: [account: string, id: string, role: string, status: string, day: number][] = [
    ['001first0000000', '00Agone00000000', 'admin', 'deleted', 1],
    ['001first0000000', '00Areader000000', 'read', 'active', 2],
    ['001first0000000', '00Aadmin0000000', 'admin', 'active', 3],
    ['001first0000000', '00Alater0000000', 'admin', 'active', 4],
    ['001second000000', '00Aother0000000', 'admin', 'active', 5],
  ]
  for (const [account, id, role, status, day] of users)
    await ask(
      `insert into users (account_id, id, created, modified, first_name, last_name, email, role, status, timezone)
      values ($1, $2, $3, now(), 'A', 'B', $2 || '@example.com', $4, $5, 'UTC')`,
      [account, id, `2026-01-0${day}`, role, status],
    )
  for (const account of accounts)
    for (const [id, type, createdBy] of [
      ['dsh1', 'template', ''],
      ['dsh2', 'custom', '00Areader000000'],
    ])
      await ask(
        `insert into dashboards (account_id, id, created, modified, created_by, name, description, type, visibility, range, filters)
        values ($1, $1 || $2, now(), now(), $4, 'Example', '', $3, 'shared', '{}', '{}')`,
        [account, id, type, createdBy],
      )
  await migrate(database.url, migrationFolders, () => {}, '0042-dashboard-creators.sql')
  const rows = await ask<{ createdBy: string }>(
    `select created_by as "createdBy" from dashboards order by account_id desc, id`,
  )
  expect(rows.map(({ createdBy }) => createdBy)).toEqual([
    '00Aother0000000',
    '00Areader000000',
    '00Aadmin0000000',
    '00Areader000000',
    '',
    '00Areader000000',
  ])
  await database.drop()
})
