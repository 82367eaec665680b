import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#kernel/database/database.ts'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { countersOf, noCounters, withCounters } from './counter.ts'
import { type Increment, incrementCounters } from './increments.ts'

const accountId = '001figures00001'
const day = new Date('2026-03-04T23:59:59.000Z')
const nextDay = new Date('2026-03-05T00:00:00.000Z')
let made: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
beforeAll(async () => {
  made = await freshDatabase()
  database = openPatientDatabase({ url: made.url, connections: 10 })
})
afterAll(async () => {
  await database.close()
  await made.drop()
})

const add = (increments: readonly Increment[], account = accountId) =>
  database.transaction(account, (db) => incrementCounters({ db, accountId: account }, increments))
const storedCounters = (id: string) =>
  ownerQuery(made.url, 'select of_kind, name, value::int, last from counters where of_id = $1 order by 1, 2', [id])
const byDay = (id: string) =>
  ownerQuery(
    made.url,
    'select name, day::text, value::int from daily_rollups where of_kind = $2 and of_id = $1 order by 1, 2',
    [id, 'campaign'],
  )

test('an increment increments the counters of all its entities, also by day; empty ids are ignored', async () => {
  await add([
    { name: 'clicks', at: nextDay, of: { campaign: 'one', message: 'one', post: '' } },
    { name: 'clicks', at: day, of: { campaign: 'one' } },
    { name: 'messages', at: day, of: { campaign: 'one' }, amount: 3 },
  ])
  await add([{ name: 'messages', at: nextDay, of: { campaign: 'one' }, amount: -1 }])
  expect(await storedCounters('one')).toEqual([
    { of_kind: 'campaign', name: 'clicks', value: 2, last: nextDay },
    { of_kind: 'campaign', name: 'messages', value: 2, last: nextDay },
    { of_kind: 'message', name: 'clicks', value: 1, last: nextDay },
  ])
  expect(await byDay('one')).toEqual([
    { name: 'clicks', day: '2026-03-04', value: 1 },
    { name: 'clicks', day: '2026-03-05', value: 1 },
  ])
  expect(await storedCounters('')).toEqual([])
})

test('increments that cancel out in one transaction write no counters', async () => {
  await add([
    { name: 'messages', at: day, of: { campaign: 'still' } },
    { name: 'messages', at: day, of: { campaign: 'still' }, amount: -1 },
  ])
  expect(await storedCounters('still')).toEqual([])
})

test('a count moved from one day to another changes both days and not the total', async () => {
  await add([{ name: 'likes', at: day, of: { campaign: 'moved' } }])
  await add([
    { name: 'likes', at: day, of: { campaign: 'moved' }, amount: -1 },
    { name: 'likes', at: nextDay, of: { campaign: 'moved' } },
  ])
  expect(await storedCounters('moved')).toMatchObject([{ name: 'likes', value: 1 }])
  expect(await byDay('moved')).toEqual([
    { name: 'likes', day: '2026-03-04', value: 0 },
    { name: 'likes', day: '2026-03-05', value: 1 },
  ])
})

test('concurrent increments of the same counters in any order neither deadlock nor get lost', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all(
    Array.from({ length: 60 }, (_, round) => {
      const order = round % 2 ? ids : ids.toReversed()
      return add(
        order.map((id) => ({ name: 'clicks' as const, at: day, of: { campaign: `many-${id}`, link: `many-${id}` } })),
      )
    }),
  )
  for (const id of ids)
    expect(await storedCounters(`many-${id}`)).toEqual([
      { of_kind: 'campaign', name: 'clicks', value: 60, last: day },
      { of_kind: 'link', name: 'clicks', value: 60, last: day },
    ])
})

test('counters are read with their entity and account, absent ones as zero', async () => {
  await add([{ name: 'likes', at: day, of: { campaign: 'read' }, amount: 4 }])
  await add([{ name: 'likes', at: day, of: { campaign: 'read' }, amount: 9 }], '001figures00002')
  const { rows } = await sql<{ counters: object }>`
    select ${countersOf({ accountId }, 'campaign', 'named.id').expression} as counters from (values ('read'), ('none')) as named (id)`.execute(
    database.forAccount(accountId),
  )
  expect(rows.map(withCounters)).toEqual([{ ...noCounters, likes: 4 }, noCounters])
})
