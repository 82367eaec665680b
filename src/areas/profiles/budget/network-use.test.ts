import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '#main/settings/settings.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

const clock = { now: () => new Date('2026-11-16T12:00:00Z') }
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    clock,
    environment: {
      CHORUS_ROLES: 'api',
      CHORUS_X_CLIENT_ID: 'id',
      CHORUS_X_CLIENT_SECRET: 'secret',
      CHORUS_X_MONTHLY_SPEND: '50',
      CHORUS_YOUTUBE_CLIENT_ID: 'id',
      CHORUS_YOUTUBE_CLIENT_SECRET: 'secret',
      CHORUS_YOUTUBE_DAILY_UNITS: '20000',
    },
  })
  const used = (network: string, budget: string, period: string, purpose: string, amount: number) =>
    ownerQuery(service.databaseUrl, 'insert into network_usage values ($1, $2, $3, $4, $5)', [
      network,
      budget,
      period,
      purpose,
      amount,
    ])
  await used('YouTube', 'units', '2026-11-16T08:00:00Z', 'inbox', 1_000)
  await used('YouTube', 'units', '2026-11-16T08:00:00Z', 'reply', 500)
  await used('YouTube', 'units', '2026-11-15T08:00:00Z', 'inbox', 9_000)
  await used('YouTube', 'calls', '2026-11-16T00:00:00Z', 'inbox', 1_010)
  await used('Twitter', 'cost', '2026-11-02T00:00:00Z', 'publish', 3_000_000)
  for (let day = 10; day <= 16; day++) await used('Twitter', 'cost', `2026-11-${day}T00:00:00Z`, 'metrics', 1_000_000)
  await ownerQuery(
    service.databaseUrl,
    `insert into network_read_pauses values ('Twitter', 'actor', '15', '2026-11-16T12:10:00Z'), ('Twitter', 'app', '', '2026-11-16T11:00:00Z')`,
  )
})
afterAll(() => service.stop())

test('admins see the usage, forecast and cost of each budget, and the pauses', async () => {
  const { status, json } = await service.admin('GET /app/api/network-use')
  expect(status).toBe(200)
  const of = (network: string) => json.Items.find((item: { Network: string }) => item.Network === network)
  expect(of('YouTube')).toMatchObject({ CallsToday: 1_010, Pauses: [] })
  const units = {
    Name: 'units',
    Unit: 'units',
    Window: 'pacificDay',
    Limit: 20_000,
    Used: 1_500,
    UsedByPublishing: 500,
    Setting: 'CHORUS_YOUTUBE_DAILY_UNITS',
  }
  // 1,500 in the four hours since midnight in California.
  expect(of('YouTube').Budgets[0]).toMatchObject({ ...units, Forecast: 9_000 })
  const [cost] = of('Twitter').Budgets
  expect(cost).toMatchObject({ Unit: 'dollars', Window: 'month', Limit: 50, Used: 10, UsedByPublishing: 3 })
  expect(cost.Setting).toBe('CHORUS_X_MONTHLY_SPEND')
  // One dollar a day for the remaining 14.5 days.
  expect(cost.Forecast).toBeGreaterThan(24)
  expect(cost.Forecast).toBeLessThan(26.5)
  expect(of('Twitter').Pauses).toMatchObject([{ Scope: 'actor', Of: '15' }])
})

test('other users do not see network usage', async () => {
  for (const caller of [service.publisher, service.contributor, service.reader])
    expect((await caller('GET /app/api/network-use')).status).toBe(403)
})

test.each([
  [{ CHORUS_X_MONTHLY_SPEND: '-5' }, 'CHORUS_X_MONTHLY_SPEND must be an amount in dollars above 0'],
  [{ CHORUS_X_MONTHLY_SPEND: '0' }, 'CHORUS_X_MONTHLY_SPEND must be an amount'],
  [{ CHORUS_YOUTUBE_DAILY_UNITS: '1.5' }, 'CHORUS_YOUTUBE_DAILY_UNITS must be a whole number above 0'],
])('%j is refused', (environment, sentence) => {
  expect(() => readSettings(environment)).toThrow(sentence)
})
