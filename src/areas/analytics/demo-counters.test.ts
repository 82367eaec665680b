import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#kernel/database/database.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { demoAccount, startTestService, type TestService } from '../../../tests/support/service.ts'
import { differences, rebuild, same, storedCounters } from './report/rebuilding.fixture.ts'

let service: TestService
let database: Database

beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
})

afterAll(async () => {
  await database.close()
  await service.stop()
})

test('the demo has the counters that a rebuild finds', async () => {
  const before = await storedCounters(service.databaseUrl)
  expect(before.length).toBeGreaterThan(50_000)
  await rebuild(database)
  expect(differences(before, await storedCounters(service.databaseUrl))).toEqual(same)
})

test('its counters of metrics are those of its posts, in total, by day and by quarter of an hour', async () => {
  const names = ['likes', 'comments', 'reshares', 'impressions']
  const read = (name: string, kind: string, table: string) =>
    `(select sum(value) from ${table} where account_id = $1 and name = '${name}' and of_kind = '${kind}')::int`
  const columns = names.flatMap((name) => [
    `(select sum(coalesce(${name}, 0)) from post_metrics where account_id = $1)::int as ${name}`,
    ...['account', 'campaign', 'message', 'post', 'profile-post'].map(
      (kind) => `${read(name, kind, 'counters')} as "${name} ${kind}"`,
    ),
    ...['account', 'campaign', 'network', 'profile', 'author', 'cell'].flatMap((kind) => [
      `${read(name, kind, 'daily_rollups')} as "${name} ${kind} by day"`,
      `${read(name, kind, 'quarter_hour_rollups')} as "${name} ${kind} by quarter"`,
    ]),
  ])
  const [sums = {}] = await ownerQuery<{ [column: string]: number }>(
    service.databaseUrl,
    `select ${columns.join(', ')}`,
    [demoAccount],
  )
  for (const name of names) {
    expect(sums[name]).toBeGreaterThan(0)
    const others = Object.entries(sums).filter(([column]) => column.startsWith(`${name} `))
    expect(Object.fromEntries(others)).toEqual(Object.fromEntries(others.map(([column]) => [column, sums[name]])))
  }
})
