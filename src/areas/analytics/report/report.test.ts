import { afterAll, beforeAll, expect, test } from 'vitest'
import { dimensionCounters } from '#areas/counters/counter.ts'
import { type Increment, incrementCounters, recordGauges } from '#areas/counters/increments.ts'
import type { Database } from '#kernel/database/database.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
let database: Database
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 4 })
})
afterAll(async () => {
  await database.close()
  await service.stop()
})

const ask = (body: object, as = service.admin) => as('POST /app/api/report', { body })
const add = (increments: readonly Increment[]) =>
  database.transaction(demoAccount, (db) => incrementCounters({ db, accountId: demoAccount }, increments))
const campaign = '002demo00000001'

test('counters of other areas are reported: sums, ratios, and the previous period', async () => {
  const of = dimensionCounters(demoAccount, { network: 'Facebook', profile: '003-1-inbox', author: '00Ademo00000002' })
  const at = (day: number) => new Date(`2020-06-${String(day).padStart(2, '0')}T10:00:00Z`)
  await add([
    { name: 'inboxReceived', at: at(9), of, amount: 4 },
    { name: 'inboxReceived', at: at(5), of, amount: 3 },
    { name: 'responses', at: at(9), of, amount: 2 },
    { name: 'responseSeconds', at: at(9), of, amount: 90 },
  ])
  const inbox = { source: 'inbox', measures: ['received', 'responseTime'], from: '2020-06-08', to: '2020-06-11' }
  expect((await ask({ ...inbox, compare: 1 })).json).toEqual({
    Result: true,
    Entities: {},
    Data: [{ Received: 4, ReceivedBefore: 3, ResponseTime: 45, ResponseTimeBefore: null }],
    Report: { From: '2020-06-08', To: '2020-06-11', Timezone: 'Europe/London', Basis: 'rollups' },
  })
  const { json } = await ask({ ...inbox, dimension: 'author', filters: { network: 'facebook' } })
  expect(json.Data).toEqual([{ Author: '00Ademo00000002', Received: 4, ResponseTime: 45 }])
  expect(json.Entities).toEqual({ Author: { '00Ademo00000002': { Id: '00Ademo00000002', Name: 'Pablo Reyes' } } })
})

test('followers keep their last value, in whatever order they are recorded', async () => {
  const [profile] = await ownerQuery<{ id: string; network: string }>(
    service.databaseUrl,
    'select id, network from credentials where account_id = $1 order by id limit 1',
    [demoAccount],
  )
  const level = (time: string, value: number) => ({
    name: 'followers' as const,
    at: new Date(time),
    profile: profile?.id ?? '',
    value,
  })
  const levels = [level('2020-03-02T12:05:00Z', 110), level('2020-03-02T12:01:00Z', 100)]
  await database.transaction(demoAccount, (db) => recordGauges({ db, accountId: demoAccount }, levels))
  const late = [level('2020-03-02T12:03:00Z', 90), level('2020-03-04T01:00:00Z', 120)]
  await database.transaction(demoAccount, (db) => recordGauges({ db, accountId: demoAccount }, late))
  const request = { source: 'follower', measures: ['followers'], unit: 'day', from: '2020-03-01', to: '2020-03-05' }
  const { json } = await ask({ ...request, dimension: 'network' })
  expect(json.Data.map(({ Followers }: { Followers: number }) => Followers)).toEqual([0, 110, 110, 120, 120])
  expect(json.Data[0].Network).toBe(profile?.network)
})

test('an impossible report is rejected with a message', async () => {
  const refused: [object, string][] = [
    [{ source: 'click', measures: ['likes'] }, 'measures names "likes"; the source click has clicks, boardClicks.'],
    [{ source: 'inbox', measures: ['received'], dimension: 'country' }, 'The source inbox knows no country.'],
    [
      { source: 'click', measures: ['clicks'], unit: 'hour', from: '2020-01-01', to: '2021-01-01' },
      'A report shows at most 2000 hours. Choose a shorter range, or a longer unit.',
    ],
    [
      { source: 'click', measures: ['clicks'], dimension: 'country', filters: { campaign }, range: 'last12Months' },
      'This is counted from single clicks, for at most 92 days. Choose a shorter range, or leave the country out.',
    ],
    [
      { source: 'click', measures: ['clicks'], from: '2020-02-02', to: '2020-02-01' },
      'The range must not end before it begins.',
    ],
  ]
  for (const [body, sentence] of refused) {
    const { status, json } = await ask(body)
    expect([status, json.Errors?.API.Error]).toEqual([400, sentence])
  }
})

test('top values are chosen by the first measure, and the rest is combined', async () => {
  const request = { source: 'click', measures: ['clicks'], range: 'last90Days' }
  const all = (await ask({ ...request, dimension: 'campaign', top: 100 })).json.Data as {
    Campaign: string
    Clicks: number
  }[]
  const few = (await ask({ ...request, dimension: 'campaign', top: 2 })).json.Data
  expect(few.slice(0, 2)).toEqual(all.slice(0, 2))
  const rest = all.slice(2).reduce((sum, { Clicks }) => sum + Clicks, 0)
  expect(few[2]).toEqual({ Campaign: 'other', Clicks: rest })
  const byMonth = (await ask({ ...request, dimension: 'campaign', unit: 'month', top: 2 })).json.Data
  expect(byMonth.reduce((sum: number, { Clicks }: { Clicks: number }) => sum + Clicks, 0)).toBe(
    all.reduce((sum, { Clicks }) => sum + Clicks, 0),
  )
})

test('users who cannot see a campaign do not see its numbers', async () => {
  const request = { source: 'click', measures: ['clicks'], range: 'last90Days' }
  const total = async (as = service.admin, more = {}) =>
    (await ask({ ...request, ...more }, as)).json.Data[0]?.Clicks ?? 0
  const before = await total(service.reader)
  const own = await total(service.admin, { filters: { campaign } })
  expect(own).toBeGreaterThan(0)
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: '025demo00000001' } })
  expect(await total(service.reader)).toBe(before - own)
  expect(await total(service.reader, { filters: { campaign } })).toBe(0)
  expect(await total(service.publisher)).toBe(before)
  await service.admin(`DELETE /team-entity/${campaign}`, { body: { teamIds: '025demo00000001' } })
  expect(await total(service.reader)).toBe(before)
})
