import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Database } from '#kernel/database/database.ts'
import type { Purpose, Uses } from '#networks/connector/budget.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import type { Network } from '#networks/manifests.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { type BudgetOptions, type Budgets, openBudgets } from './budgets.ts'

let own: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
const opened: Budgets[] = []
let now = new Date('2026-11-18T10:00:00Z')
beforeAll(async () => {
  own = await freshDatabase()
  database = openPatientDatabase({ url: own.url, connections: 4 })
})
afterEach(async () => {
  for (const budgets of opened.splice(0)) await budgets.close()
  await ownerQuery(own.url, 'truncate network_usage, network_read_pauses, push_routes')
  now = new Date('2026-11-18T10:00:00Z')
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

/** A process of the installation. */
async function process(options: Partial<BudgetOptions> = {}) {
  const budgets = await openBudgets({
    database,
    clock: { now: () => now },
    options: () => ({}),
    isPaced: () => true,
    report: (error) => {
      throw error
    },
    ...options,
  })
  opened.push(budgets)
  return budgets
}

const use = (budgets: Budgets, network: Network, purpose: Purpose, uses: Uses, holder = 'a') =>
  budgets.meter(network, purpose).spent(holder, uses)

/** The time until which a call has to wait; undefined if it may be made. */
function waits(budgets: Budgets, network: Network, purpose: Purpose, uses: Uses, holder = 'a', endpoint = 'GET /x') {
  try {
    budgets.meter(network, purpose).admit({ holder, endpoint, uses })
    return undefined
  } catch (error) {
    const { fault, message } = error as NetworkError
    if (!(error instanceof NetworkError) || fault.kind !== 'throttled') throw error
    return { until: fault.until.toISOString(), message }
  }
}

const midnight = '2026-11-19T08:00:00.000Z'

test('metrics wait first, then streams, then the inbox; posts and replies never wait', async () => {
  const budgets = await process()
  const waiting = () =>
    (['publish', 'reply', 'setup', 'inbox', 'streams', 'metrics'] as const).filter((purpose) =>
      waits(budgets, 'YouTube', purpose, { units: 1 }),
    )
  use(budgets, 'YouTube', 'inbox', { units: 5_900 })
  expect(waiting()).toEqual([])
  use(budgets, 'YouTube', 'inbox', { units: 200 })
  expect(waiting()).toEqual(['metrics'])
  use(budgets, 'YouTube', 'inbox', { units: 1_000 })
  expect(waiting()).toEqual(['streams', 'metrics'])
  use(budgets, 'YouTube', 'inbox', { units: 1_000 })
  expect(waiting()).toEqual(['inbox', 'streams', 'metrics'])
  use(budgets, 'YouTube', 'reply', { units: 5_000 })
  expect(waiting()).toEqual(['inbox', 'streams', 'metrics'])
  expect(waits(budgets, 'YouTube', 'metrics', { stats: 1 }), 'another bucket').toBeUndefined()
  expect(waits(budgets, 'YouTube', 'inbox', { units: 1 })).toEqual({
    until: midnight,
    message: expect.stringMatching(
      /^Reading waits until 2026-11-19 08:00 UTC: .*“units”.* Posts and replies still go out/,
    ),
  })
  now = new Date(midnight)
  expect(waiting(), 'a new day').toEqual([])
})

test('usage of one process counts for the others, and survives a restart', async () => {
  const [one, other] = [await process(), await process()]
  for (const budgets of [one, other]) use(budgets, 'YouTube', 'inbox', { units: 4_500 })
  expect(waits(one, 'YouTube', 'inbox', { units: 1 })).toBeUndefined()
  await one.sync()
  await other.sync()
  await one.sync()
  for (const budgets of [one, other, await process()])
    expect(waits(budgets, 'YouTube', 'inbox', { units: 1 })).toMatchObject({ until: midnight })
  const rows = await ownerQuery<{ used: string }>(own.url, `select used from network_usage where budget = 'units'`)
  expect(rows).toEqual([{ used: '9000' }])
})

test('calls are counted in memory and written together', async () => {
  const budgets = await process()
  for (let call = 0; call < 1000; call++) use(budgets, 'LinkedIn', 'inbox', { calls: 1 }, `page ${call}`)
  expect(await ownerQuery(own.url, 'select from network_usage')).toHaveLength(0)
  await budgets.sync()
  const rows = await ownerQuery(own.url, 'select network, budget, purpose, used::int from network_usage')
  expect(rows).toEqual([{ network: 'LinkedIn', budget: 'calls', purpose: 'inbox', used: 1000 }])
})

test('reading stops at four fifths of a monthly spending limit, until the month ends', async () => {
  const budgets = await process({ options: () => ({ monthlySpend: '10' }) })
  use(budgets, 'Twitter', 'metrics', { cost: 5_000_000 })
  now = new Date('2026-11-25T10:00:00Z')
  await budgets.sync()
  use(budgets, 'Twitter', 'publish', { cost: 2_999_000 })
  expect(waits(budgets, 'Twitter', 'inbox', { cost: 0 })).toBeUndefined()
  expect(waits(budgets, 'Twitter', 'metrics', { cost: 0 })).toMatchObject({ until: '2026-12-01T00:00:00.000Z' })
  use(budgets, 'Twitter', 'publish', { cost: 200_000 })
  expect(waits(budgets, 'Twitter', 'inbox', { cost: 0 })).toMatchObject({ until: '2026-12-01T00:00:00.000Z' })
  expect(waits(budgets, 'Twitter', 'publish', { cost: 0 })).toBeUndefined()
  const free = await process()
  expect(waits(free, 'Twitter', 'inbox', { cost: 0 }), 'without a limit').toBeUndefined()
})

test('usage reported by a network pauses reading in every process, and nothing else', async () => {
  const [one, other] = [await process(), await process()]
  const until = new Date('2026-11-18T10:09:00Z')
  one.recordUsage({ network: 'Twitter', scope: 'endpoint', of: 'a GET /2/dm_events', used: 0.93, until })
  one.recordUsage({ network: 'Facebook', scope: 'app', of: 'app', used: 0.95 })
  one.recordUsage({ network: 'Instagram', scope: 'actor', of: 'b', used: 1, until })
  one.recordUsage({ network: 'LinkedIn', scope: 'app', of: 'app', used: 0.5, until })
  await one.sync()
  await other.sync()
  for (const budgets of [one, other]) {
    const at = (network: Network, holder: string, endpoint = 'GET /x') =>
      waits(budgets, network, 'inbox', { calls: 1 }, holder, endpoint)?.until
    expect(at('Twitter', 'a', 'GET /2/dm_events')).toBe(until.toISOString())
    expect(at('Twitter', 'a', 'GET /2/tweets')).toBeUndefined()
    expect(at('Twitter', 'b', 'GET /2/dm_events')).toBeUndefined()
    expect(at('Facebook', 'any')).toBe('2026-11-18T10:10:00.000Z')
    expect(at('Instagram', 'b')).toBe(until.toISOString())
    expect(at('Instagram', 'c')).toBeUndefined()
    expect(at('LinkedIn', 'a')).toBeUndefined()
    expect(waits(budgets, 'Facebook', 'reply', { calls: 1 })).toBeUndefined()
  }
  now = new Date('2026-11-18T10:11:00Z')
  expect(waits(one, 'Facebook', 'inbox', { calls: 1 })).toBeUndefined()
})

test('the more profiles share a quota, the less often each is polled, and with pushes even less', async () => {
  let budgets = await process()
  const interval = (network: Network, pushes = false, of: Budgets = budgets) =>
    of.interval(network, 'inbox', { floor: 60_000, pushes }) / 1000
  expect(interval('YouTube')).toBe(120)
  for (let index = 0; index < 20; index++)
    await ownerQuery(own.url, `insert into push_routes values ('YouTube', $1, '001', $1)`, [`UC${index}`])
  budgets = await process()
  // 5,000 of the day's 10,000 units, shared by 20 channels.
  expect(interval('YouTube')).toBe(345.6)
  use(budgets, 'YouTube', 'reply', { units: 7_000 })
  // 1,000 units are left for reading in the 22 hours until midnight in California.
  expect(interval('YouTube')).toBe((22 * 3600 * 20) / 1000)
  const granted = await process({ options: () => ({ dailyUnits: '1000000' }) })
  expect(interval('YouTube', false, granted)).toBe(120)
  expect(interval('Twitter')).toBe(120)
  expect(interval('Twitter', true)).toBe(900)
  const demo = await process({ isPaced: () => false })
  expect(interval('Twitter', true, demo)).toBe(60)
  use(demo, 'YouTube', 'inbox', { units: 20_000 })
  expect(waits(demo, 'YouTube', 'inbox', { units: 1 }), 'the sandbox is not spared').toBeUndefined()
})

test('in the Development tier of LinkedIn a profile has 100 calls a day and the app 500, and is polled accordingly', async () => {
  const standard = await process()
  const small = await process({ options: () => ({ tier: 'development' }) })
  const call = { calls: 1, appCalls: 1 }
  const polling = { floor: 60_000, pushes: false }
  expect(standard.interval('LinkedIn', 'inbox', polling)).toBe(600_000)
  expect(small.interval('LinkedIn', 'inbox', polling)).toBe(72 * 60_000)
  for (const budgets of [standard, small]) use(budgets, 'LinkedIn', 'inbox', { calls: 80, appCalls: 80 })
  expect(waits(standard, 'LinkedIn', 'inbox', call)).toBeUndefined()
  expect(waits(small, 'LinkedIn', 'inbox', call)).toMatchObject({ until: '2026-11-19T00:00:00.000Z' })
  expect(waits(small, 'LinkedIn', 'publish', call)).toBeUndefined()
  expect(waits(small, 'LinkedIn', 'inbox', call, 'b')).toBeUndefined()
  for (const holder of ['b', 'c', 'd', 'e']) use(small, 'LinkedIn', 'inbox', { calls: 80, appCalls: 80 }, holder)
  expect(waits(small, 'LinkedIn', 'inbox', call, 'f')?.message).toContain('appCalls')
})
