import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { countTry, networkOf } from './brake.ts'
import { givePassword, pablo, signIn } from './session.fixture.ts'

/** Time stands still unless a test moves it: waits are told, not waited for. */
let time = Date.now()
const clock = { now: () => new Date(time) }
const environment = { CHORUS_ROLES: 'api', CHORUS_TRUSTED_PROXIES: '127.0.0.1' }
let service: TestService
beforeAll(async () => {
  service = await startTestService({ clock, environment })
  await givePassword(service)
})
afterAll(() => service.stop())

const wrong = (email: string, from: string, url = service.url) => signIn(url, { email, password: 'a guess' }, from)
const right = (from: string, url = service.url) => signIn(url, pablo, from)
let numbered = 1
const newAddress = () => `198.51.${Math.floor(numbered / 250)}.${(numbered++ % 250) + 1}`
const minute = 60_000

/** Guesses from many places, until the brake holds. */
async function guess(email: string, times: number, from = newAddress) {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push((await wrong(email, from())).status)
  return statuses
}

test('a wrong password, an unknown address and one that cannot sign in are answered with the same bytes', async () => {
  const [known, unknown, without] = [
    await wrong(pablo.email, newAddress()),
    await wrong('nobody@example.com', newAddress()),
    await wrong('ada.marsh@example.com', newAddress()),
  ]
  expect([known.status, known.json.Errors.API.Error]).toEqual([401, 'The email address or the password is wrong.'])
  for (const other of [unknown, without]) {
    expect([other.status, other.text]).toEqual([known.status, known.text])
    const headers = (of: Headers) => [...of].filter(([name]) => name !== 'x-request-id' && name !== 'date')
    expect(headers(other.headers)).toEqual(headers(known.headers))
  }
  time += 16 * minute
})

test.each([
  ['a user’s', pablo.email],
  ['nobody’s', 'nobody@example.com'],
])('after ten guesses at %s address each has to wait, longer and longer', async (_whose, email) => {
  expect(await guess(email, 10)).toEqual(Array(10).fill(401))
  for (const seconds of [1, 2, 4, 8]) {
    const { status, headers, json } = await wrong(email, newAddress())
    expect([status, headers.get('retry-after')]).toEqual([429, String(seconds)])
    expect(json.Errors.API.Error).toContain(`Wait ${seconds} seconds`)
    time += seconds * 1000
    expect((await wrong(email, newAddress())).status).toBe(401)
  }
  time += 16 * minute
  expect((await wrong(email, newAddress())).status, 'forgotten after a quarter of an hour').toBe(401)
  time += 16 * minute
})

test('who guesses cannot keep a user out of the place they signed in from', async () => {
  const [home, elsewhere] = [newAddress(), newAddress()]
  expect((await right(home)).status).toBe(200)
  const statuses = await guess(pablo.email, 15)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  expect((await right(elsewhere)).status, 'from a new place even the right one waits').toBe(429)
  expect((await right(home)).status).toBe(200)
  time += 1_000
  expect((await right(elsewhere)).status, 'but not for good').toBe(200)
  time += 16 * minute
})

test('guesses from the place itself are braked there, and the wait ends', async () => {
  const home = newAddress()
  expect((await right(home)).status).toBe(200)
  expect(await guess(pablo.email, 12, () => home)).toEqual([...Array(10).fill(401), 429, 429])
  expect((await right(home)).status).toBe(429)
  expect((await right(newAddress())).status, 'nobody else is').toBe(200)
  time += 1_000
  expect((await right(home)).status).toBe(200)
  expect((await wrong(pablo.email, home)).status, 'and begins anew').toBe(401)
  time += 16 * minute
})

test('one address that tries many e-mails is braked, and others are not', async () => {
  const from = newAddress()
  const statuses: number[] = []
  for (let number = 0; number < 12; number++) statuses.push((await wrong(`person${number}@example.com`, from)).status)
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  expect((await wrong('person12@example.com', newAddress())).status).toBe(401)
  time += 16 * minute
})

test('it makes no difference to try all at once, in several processes, or after a restart', async () => {
  expect(await guess(pablo.email, 4)).toEqual(Array(4).fill(401))
  // It begins after the first tries, as one that was restarted does.
  const second = await startTestService({ clock, environment, databaseUrl: service.databaseUrl })
  const urls = [service.url, second.url]
  const tries = Array.from({ length: 20 }, (_, number) => wrong(pablo.email, newAddress(), urls[number % 2]))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(6)
  expect((await right(newAddress(), second.url)).status).toBe(429)
  await second.stop()
  time += 16 * minute
})

test('what is remembered is bounded, whatever comes', async () => {
  const rows = async () =>
    (await ownerQuery<{ rows: number }>(service.databaseUrl, 'select count(*)::int as rows from sign_in_tries'))[0]
      ?.rows
  await ownerQuery(
    service.databaseUrl,
    `insert into sign_in_tries (subject, tries, last) select decode(lpad(to_hex(n), 64, '0'), 'hex'), 1, $1::timestamptz - n * interval '1 millisecond'
     from generate_series(1, 101000) n`,
    [new Date(time)],
  )
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
  for (let number = 0; number < 110; number++)
    await countTry(database.shared, ['reset', `somebody${number}@example.com`], new Date(time))
  await database.close()
  expect(await rows()).toBeLessThan(100_500)
  time += 16 * minute
  await ownerQuery(service.databaseUrl, 'truncate sign_in_tries')
})

test('of IPv6 the network counts', () => {
  expect(networkOf('2001:db8:0:1:aaaa::1')).toBe(networkOf('2001:0db8::1:bbbb:0:0:2'))
  expect(networkOf('2001:db8:0:2::1')).not.toBe(networkOf('2001:db8:0:1::1'))
  expect(networkOf('::1')).toBe(networkOf('0:0:0:0:0:0:0:2'))
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
})
