import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

/** Rate limits as a caller observes them, across two processes of one installation; kernel/limits has finer tests. */
// Demo data is generated relative to today; the tests start at noon a day or two later to avoid generating it again.
let time = Date.now()
const day = 86_400_000
const noon = (Math.floor(time / day) + 1.5) * day
const clock = { now: () => new Date(time) }
const environment = { CHORUS_RATE_LIMIT: 'on', CHORUS_ROLES: 'api' }
let one: TestService
let two: TestService
beforeAll(async () => {
  one = await startTestService({ clock, environment })
  time = noon
  two = await startTestService({ clock, environment, databaseUrl: one.databaseUrl })
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

type Role = 'admin' | 'publisher' | 'contributor' | 'reader'
const statuses = async (role: Role, calls: number): Promise<number[]> => {
  const answers: number[] = []
  for (let call = 0; call < calls; call++) answers.push((await (call % 2 ? one : two)[role]('GET /me')).status)
  return answers
}
const admitted = (answers: number[]) => answers.filter((status) => status === 200).length

describe.sequential('limits', () => {
  test('every response contains the rate limit policy and the remaining calls of the day', async () => {
    const { headers } = await one.admin('GET /me')
    expect(headers.get('ratelimit-policy')).toBe('"second";q=60;w=1, "five";q=120;w=5, "day";q=50000;w=86400')
    expect(headers.get('ratelimit')).toBe('"day";r=49999;t=43200')
    time += 6_000
  })

  test('the 61st call within a second is refused and blocks for 15 minutes, in both processes', async () => {
    const answers = await statuses('publisher', 61)
    expect(admitted(answers)).toBe(60)
    expect(answers.at(-1)).toBe(429)
    for (const service of [one, two]) {
      const { status, headers, json } = await service.publisher('GET /me')
      expect([status, headers.get('retry-after'), json.Result]).toEqual([429, '900', false])
      expect(json.Errors.API.Error).toBe('Too many API calls in a short time; access is blocked for 900 more seconds.')
    }
    expect((await one.admin('GET /me')).status, 'others are not affected').toBe(200)
  })

  test('the 121st call within five seconds is refused', async () => {
    for (let second = 0; second < 4; second++) {
      expect(admitted(await statuses('reader', 30))).toBe(30)
      time += 1_001
    }
    expect((await two.reader('GET /me')).status).toBe(429)
  })

  test('a block survives a restart of all processes, is not extended by further calls, and ends', async () => {
    await two.stop()
    two = await startTestService({ clock, environment, databaseUrl: one.databaseUrl })
    time += 14 * 60_000
    expect((await two.reader('GET /me')).status).toBe(429)
    expect((await one.reader('GET /me')).headers.get('retry-after')).toBe('60')
    time += 60_001
    expect((await two.reader('GET /me')).status).toBe(200)
    expect((await one.reader('GET /me')).status).toBe(200)
  })
})

test('the 50,001st call of a day is refused until midnight UTC, in both processes', async () => {
  const counted = `insert into rate_limits (caller, day, day_count) values ('001demo00000001 00Ademo00000003', $1, 49998)`
  await ownerQuery(one.databaseUrl, counted, [new Date(time).toISOString().slice(0, 10)])
  const first = await one.contributor('GET /me')
  expect([first.status, first.headers.get('ratelimit')?.split(';')[1]]).toEqual([200, 'r=1'])
  expect((await two.contributor('GET /me')).status).toBe(200)
  for (const service of [one, two]) {
    const { status, headers, json } = await service.contributor('GET /me')
    const rest = Math.ceil((noon + day / 2 - time) / 1000)
    expect([status, headers.get('retry-after')]).toEqual([429, String(rest)])
    expect(json.Errors.API.Error).toBe(
      `The daily limit of API calls is reached; it starts anew at midnight UTC, in ${rest} seconds.`,
    )
  }
  time = noon + day / 2 + 1
  for (const service of [one, two]) expect((await service.contributor('GET /me')).status).toBe(200)
})
