import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { pagesRead } from '../../../../tests/support/measurement.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

test('two years of counters are not read for a report over months: each range comes from the index', async () => {
  const { databaseUrl: url } = service
  const [first, last] = ['2021-01-01', '2022-12-31']
  // Scattered over the table, as counters are that arrive over time.
  await ownerQuery(
    url,
    `insert into quarter_hour_rollups (account_id, of_kind, name, quarter, of_id, value)
     select '${demoAccount}', 'network', 'leads', quarter, network, 1
     from generate_series('${first}'::timestamptz, '${last} 23:45', '15 minutes') quarter, unnest(array['Facebook']) network
     order by md5(quarter::text || network)`,
  )
  await ownerQuery(
    url,
    `insert into daily_rollups (account_id, of_kind, name, day, of_id, value)
     select account_id, of_kind, name, (quarter at time zone 'UTC')::date, of_id, sum(value) from quarter_hour_rollups
     where account_id = '${demoAccount}' and of_kind = 'network' and name = 'leads' and quarter >= '${first}' and quarter < '2023-01-01' group by 1, 2, 3, 4, 5`,
  )
  await ownerQuery(url, 'vacuum analyze quarter_hour_rollups, daily_rollups')
  const request = { source: 'lead', measures: ['leads'], dimension: 'network', unit: 'month', from: first, to: last }
  const ask = () => service.admin('POST /app/api/report', { body: request })
  const { json } = await ask()
  const [january, july] = [json.Data[0], json.Data[6]]
  expect([january, july]).toEqual([
    { Time: '2021-01', Network: expect.any(String), Leads: 31 * 96 },
    { Time: '2021-07', Network: expect.any(String), Leads: 31 * 96 },
  ])
  const [whole] = await ownerQuery<{ pages: number }>(
    url,
    `select (pg_table_size('quarter_hour_rollups') + pg_indexes_size('quarter_hour_rollups'))::int / 8192 as pages`,
  )
  const read = await pagesRead(url, ask)
  expect(read, `of ${whole?.pages}`).toBeLessThan((whole?.pages ?? 0) / 4)
})
