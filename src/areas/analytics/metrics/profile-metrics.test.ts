import { afterAll, beforeAll, expect, test } from 'vitest'
import { profiles, until } from '../../../../tests/support/publishing.ts'
import { type Collecting, day, startCollecting } from './metrics.fixture.ts'

let service: Collecting
beforeAll(async () => {
  service = await startCollecting()
})
afterAll(() => service.stop())

interface Day {
  Followers: number
  FollowersAdded: number
  HistoryDate: string
}

const history = async (id: string, query = ''): Promise<Day[]> =>
  (await service.reader(`GET /followers/${id}`, { query })).json.Data
const dayAt = (moment: Date) => moment.toISOString().slice(0, 10)

test('the demo has ninety days, and thirty are returned by default', async () => {
  const { json } = await service.reader(`GET /followers/${profiles.facebook}`)
  expect(Object.keys(json)).toEqual(['Result', 'Data'])
  expect(json.Data).toHaveLength(30)
  const today = service.clock.now()
  expect(json.Data.at(-1).HistoryDate).toBe(`${dayAt(today)} 00:00:00`)
  const from = dayAt(new Date(today.getTime() - 200 * day))
  const all = await history(profiles.facebook, `fromDate=${from}&toDate=${dayAt(today)}`)
  expect(all).toHaveLength(90)
  expect(all[0]?.FollowersAdded).toBe(0)
  for (const [index, { Followers, FollowersAdded }] of all.entries())
    if (index > 0) expect(FollowersAdded).toBe(Followers - (all[index - 1]?.Followers ?? 0))
  // The first day of a range has the previous day's value.
  expect(all.slice(-30)).toEqual(json.Data)
  const one = dayAt(new Date(today.getTime() - 3 * day))
  expect(await history(profiles.facebook, `fromDate=${one}&toDate=${one}`)).toEqual([all.at(-4)])
})

test('followers are read daily for each profile and continue the history', async () => {
  const read = (moment: Date) =>
    service.query<{ id: string }>('select of_id as id from gauges where quarter::date = $1', [dayAt(moment)])
  const dueAgain = async () => (await service.profile(profiles.tiktok))?.followers_due.getTime() ?? 0
  for (const days of [1, 2]) {
    await service.move(Math.max(day, (await dueAgain()) - service.clock.now().getTime()))
    const moment = service.clock.now()
    await until(async () => (await read(moment)).some(({ id }) => id === profiles.tiktok))
    expect(await dueAgain()).toBeGreaterThan(moment.getTime())
    expect(dayAt(new Date(await dueAgain()))).toBe(dayAt(new Date(moment.getTime() + day)))
    const last = (await history(profiles.tiktok)).at(-1)
    expect(last?.HistoryDate, `day ${days}`).toBe(`${dayAt(moment)} 00:00:00`)
    expect(last?.Followers).toBeGreaterThanOrEqual(9_900)
  }
})

test('invalid ranges and unknown profiles are rejected, and a profile without data has an empty list', async () => {
  const swapped = await service.reader(`GET /followers/${profiles.x}`, {
    query: 'fromDate=2026-03-02&toDate=2026-03-01',
  })
  expect([swapped.status, swapped.json.Errors.API.Error]).toEqual([400, 'fromDate must not lie after toDate.'])
  for (const query of ['fromDate=0000-01-01&toDate=0000-01-02', 'toDate=9999-12-31', 'fromDate=&toDate='])
    expect((await service.reader(`GET /followers/${profiles.x}`, { query })).status, query).toBe(200)
  expect((await service.reader(`GET /followers/${profiles.x}`, { query: 'fromDate=soon' })).status).toBe(400)
  for (const [as, id] of [
    [service.reader, '003-1-0'],
    [service.otherAdmin, profiles.x],
  ] as const) {
    const { status, json } = await as(`GET /followers/${id}`)
    expect([status, json.Errors.API.Error]).toEqual([404, 'Credential not found.'])
  }
  expect(await history('003-1-gh_northwind501')).toEqual([])
})
