import { expect, inject, test } from 'vitest'
import { openDatabase } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { migrationFolders } from '#main/project.ts'
import { countSignIn } from '../session/attempts.ts'
import { lookUpEmail } from './user-email.ts'

const now = new Date('2026-11-18T12:00:00Z')

/** Users as stored by former versions: a lower-case directory, and known networks by email address. */
const users = [
  { account: '001upgrade00001', id: '00Aplain0000000', email: 'Plain@example.com', address: '203.0.113.9' },
  { account: '001upgrade00001', id: '00Awide00000000', email: 'Ｗide@example.com', address: '2001:DB8::1:aaaa:0:0:2' },
  { account: '001upgrade00001', id: '00Atwin00000001', email: 'twin@example.com', address: '' },
  { account: '001upgrade00001', id: '00Atwin00000002', email: 'ｔwin@example.com', address: 'nonsense:' },
  { account: '001upgrade00001', id: '00Atwin00000003', email: 'ᵗwin@example.com', address: '' },
  { account: '001upgrade00002', id: '00Aother0000000', email: 'ｔwin@example.com', address: '' },
]

test('email addresses and known networks survive the upgrade to normalized addresses', async () => {
  const { url, drop } = await plainOwnersDatabase(inject('serverUrl'))
  await migrate(url, migrationFolders, () => {}, '0036-saved-views.sql')
  for (const account of new Set(users.map(({ account }) => account)))
    await ownerQuery(url, 'insert into accounts (id, created, modified, name) values ($1, $2, $2, $1)', [account, now])
  for (const { account, id, email, address } of users) {
    await ownerQuery(
      url,
      `insert into users (account_id, id, created, modified, first_name, last_name, email) values ($1, $2, $3, $3, '', '', $4)`,
      [account, id, now, email],
    )
    await ownerQuery(url, 'insert into user_emails (email, account, user_id) values (lower($1), $2, $3)', [
      email,
      account,
      id,
    ])
    await ownerQuery(
      url,
      `insert into sessions (account_id, id, user_id, created, last_used, ends, address, agent, digest) values ($1, $2, $2, $3, $3, $3, $4, '', sha256($5))`,
      [account, id, now, address, Buffer.from(id)],
    )
  }
  await migrate(url, migrationFolders)

  const database = openDatabase({ url, connections: 2 })
  const found = async (email: string, account = '001upgrade00001') =>
    (await lookUpEmail(database.shared, email, account)).users.map(({ userId }) => userId)
  for (const { account, id, email } of users) expect(await found(email, account), email).toContain(id)
  expect(await found('PLAIN@EXAMPLE.COM')).toEqual(['00Aplain0000000'])
  expect(await found('wide@example.com')).toEqual(['00Awide00000000'])
  expect(await found('twin@example.com')).toEqual(['00Atwin00000001'])
  expect(await found('twin@example.com', '001upgrade00002')).toEqual(['00Aother0000000'])
  const rows = await ownerQuery<{ rows: number }>(url, 'select count(*)::int as rows from user_emails')
  expect(rows).toEqual([{ rows: users.length }])

  const isKnown = async (email: string, address: string) => {
    const { address: form, users: tried } = await lookUpEmail(database.shared, email, '001upgrade00001')
    const trying = await countSignIn(database.shared, { email: form, users: tried }, address, now)
    return tried.map(trying.isKnown)
  }
  expect(await isKnown('plain@example.com', '203.0.113.9')).toEqual([true])
  expect(await isKnown('plain@example.com', '203.0.113.10')).toEqual([false])
  expect(await isKnown('wide@example.com', '2001:db8:0:0::77')).toEqual([false])
  expect(await isKnown('wide@example.com', '2001:db8::1:0:0:0:77')).toEqual([true])
  await database.close()
  await drop()
})
