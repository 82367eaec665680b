import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database, Db } from '#kernel/database/database.ts'
import { acquireLock, lockRows } from '#kernel/database/locks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { disordersOf } from '../support/database/locks.ts'
import { openPatientDatabase } from '../support/database/patient-database.ts'
import { demoAccount } from '../support/demo-files.ts'

const rowLock =
  /\.for(?:Update|NoKeyUpdate|Share|KeyShare)\(|\bfor\s+(?:no\s+key\s+update|key\s+share|update|share)\b|pg_(?:try_)?advisory|\block\s+table\b/i
const comment = /^\s*(?:\/\/|\/?\*).*$/gm

const sources = readdirSync('src', { recursive: true })
  .map((name) => join('src', String(name)))
  .filter((name) => /\.(ts|mjs)$/.test(name) && !/\.(test|fixture)\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(name, 'utf8').replace(comment, '') }))

test('rows are locked only through the lock order', () => {
  const lockers = sources.filter(({ text }) => rowLock.test(text)).map(({ name }) => name)
  expect(lockers.sort()).toEqual([
    'src/kernel/database/cluster/moment.ts',
    'src/kernel/database/locks.ts',
    // Migrations and copies of whole databases, on separate connections.
    'src/kernel/database/schema/migrate.ts',
    'src/kernel/database/transfer/load.ts',
    'src/kernel/database/transfer/snapshot.ts',
  ])
})

test.each([
  "db.selectFrom('posts').selectAll().forUpdate().execute()",
  "rows.forNoKeyUpdate('credentials')",
  'sql`select from posts where id = 1 for update`',
  'sql`select 1 from campaigns c\n    for share of c`',
  'sql`select from posts order by id for no key update skip locked`',
  'sql`select pg_advisory_xact_lock(1)`',
  "client.query('lock table posts')",
])('the check detects the lock in %s', (text) => expect(rowLock.test(text)).toBe(true))

describe('a transaction', () => {
  let own: Awaited<ReturnType<typeof freshDatabase>>
  let database: Database
  beforeAll(async () => {
    own = await freshDatabase()
    database = openPatientDatabase({ url: own.url, connections: 1 })
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
  })
  const disorders = (...statements: ((db: Db) => Promise<unknown>)[]) =>
    disordersOf(() =>
      database.transaction(demoAccount, async (db) => {
        for (const run of statements) await run(db)
      }),
    )
  const post = (db: Db) =>
    sql`select from posts where account_id = ${demoAccount} limit 1 ${lockRows('posts', 'update')}`.execute(db)
  const campaign = (db: Db) =>
    sql`select from campaigns c where c.account_id = ${demoAccount} ${lockRows('campaigns', 'share', 'c')}`.execute(db)

  test('is reported if it locks rows against the lock order, and otherwise not', async () => {
    expect(await disorders(campaign, post, campaign)).toEqual([])
    expect(await disorders(post, campaign)).toEqual([
      expect.stringMatching(/^campaigns after posts: select from campaigns c/),
    ])
    expect(await disorders((db) => acquireLock(db, 'undeclaredLock'))).toEqual([
      expect.stringMatching(/^undeclaredLock is declared by no area: /),
    ])
    expect(await disorders((db) => acquireLock(db, 'uploadsOfDay', demoAccount), post)).toEqual([
      expect.stringMatching(/^posts after uploadsOfDay: /),
    ])
  })
})
