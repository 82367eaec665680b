import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { hashing } from '../../../../tests/support/quick-argon2.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { countAttempt, networkOf } from './attempts.ts'
import { givePassword, pablo, signIn } from './session.fixture.ts'

/** The clock is frozen unless a test advances it, so that waiting times need no waiting. */
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

/** Wrong passwords from many IP addresses until the rate limit applies. */
async function guess(email: string, times: number, from = newAddress) {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push((await wrong(email, from())).status)
  return statuses
}

test('a wrong password, an unknown address and a disabled user get identical responses', async () => {
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

test('a clock that is set back neither extends the wait nor resets counters', async () => {
  expect(await guess(pablo.email, 12)).toEqual([...Array(10).fill(401), 429, 429])
  time -= 60 * minute
  expect(await guess(pablo.email, 3)).toEqual([401, 429, 429])
  time += 80 * minute
})

test('guesses from elsewhere can’t lock a user out of a known network', async () => {
  const [home, elsewhere] = [newAddress(), newAddress()]
  expect((await right(home)).status).toBe(200)
  const statuses = await guess(pablo.email, 15)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  expect((await right(elsewhere)).status, 'from a new network even the right password waits').toBe(429)
  expect((await right(home)).status).toBe(200)
  time += 1_000
  expect((await right(elsewhere)).status, 'but not permanently').toBe(200)
  time += 16 * minute
})

test('guesses from a known network are slowed down there, and the wait ends', async () => {
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

test('an IP address that tries many email addresses is slowed down, and others are not', async () => {
  const from = newAddress()
  const statuses: number[] = []
  for (let number = 0; number < 12; number++) statuses.push((await wrong(`person${number}@example.com`, from)).status)
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  expect((await wrong('person12@example.com', newAddress())).status).toBe(401)
  time += 16 * minute
})

describe('another account with a user of the same email address', () => {
  const namesake = { firstName: 'Not', lastName: 'Pablo', email: pablo.email, password: 'the twin knows this one' }
  let namesakeId = ''
  beforeAll(async () => {
    namesakeId = (await service.otherAdmin('POST /user', { body: { ...namesake, role: 'read' } })).json.User.Id
  })
  afterAll(() => service.otherAdmin(`DELETE /user/${namesakeId}`))
  const signInAsNamesake = (from: string, more: object = {}) => signIn(service.url, { ...namesake, ...more }, from)

  test('gives no additional guesses by signing in there in between', async () => {
    const from = newAddress()
    expect((await signInAsNamesake(from)).status).toBe(200)
    const guesses: number[] = []
    for (let round = 0; round < 5; round++) {
      for (let guess = 0; guess < 9; guess++) guesses.push((await wrong(pablo.email, from)).status)
      await signInAsNamesake(from)
    }
    // Even the right password is refused now.
    const { status, json } = await signIn(service.url, { ...pablo, account: demoAccount }, from)
    expect([status, json.UserId]).toEqual([429, undefined])
    const direct = async () =>
      (await signIn(service.url, { ...pablo, password: 'x', account: demoAccount }, newAddress())).status
    expect(await direct()).toBe(429)
    time += 16 * minute
  })

  test('counts attempts with the password of that account as guesses', async () => {
    const from = newAddress()
    expect((await signInAsNamesake(from)).status).toBe(200)
    const updateNamesake = (password: string) => service.otherAdmin(`POST /user/${namesakeId}`, { body: { password } })
    for (let guess = 0; guess < 12; guess++) {
      await updateNamesake(`guess number ${guess}`)
      const { json } = await signInAsNamesake(from, { password: `guess number ${guess}` })
      expect(json.UserId).toBe(namesakeId)
    }
    await updateNamesake(pablo.password)
    const { json } = await signInAsNamesake(from, { password: pablo.password })
    expect([json.UserId, json.Accounts], 'even the right password is not confirmed').toEqual([namesakeId, []])
    await updateNamesake(namesake.password)
    time += 16 * minute
  })

  test('locks neither the user nor colleagues out of a known network', async () => {
    const office = newAddress()
    expect((await right(office)).status).toBe(200)
    await guess(pablo.email, 15)
    for (let day = 0; day < 12; day++) expect((await right(office)).status).toBe(200)
    expect((await wrong('a.colleague@example.com', office)).status, 'not 429').toBe(401)
    time += 16 * minute
  })
})

test('spellings of an email address are the same address', async () => {
  const kira = { firstName: 'Kira', lastName: 'Lind', email: 'kira.lind@example.com', password: 'with an i and a k' }
  expect((await service.admin('POST /user', { body: { ...kira, role: 'read' } })).status).toBe(200)
  const wide = 'kira'.replace(/./g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
  const spellings = [
    'KIRA.LIND@example.com',
    `${wide}.lind@example.com`,
    'kira.lind＠example．com',
    'ᵏira.lind@example.com',
  ]
  for (const email of spellings)
    expect((await signIn(service.url, { ...kira, email }, newAddress())).status, email).toBe(200)
  // Only the database decides whether these are equal letters.
  for (const email of ['kİra.lind@example.com', 'kirA.lİnd@example.com', '\u212aira.lind@example.com'])
    if ((await signIn(service.url, { ...kira, email }, newAddress())).status === 200) spellings.push(email)
  const statuses: number[] = []
  for (let number = 0; number < 40; number++)
    statuses.push((await wrong(spellings[number % spellings.length] ?? '', newAddress())).status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  time += 16 * minute
})

test('a sign-in computes one hash for unknown, single and shared email addresses', async () => {
  const email = 'everywhere@example.com'
  const person = { firstName: 'Every', lastName: 'Where', email, role: 'read' }
  const computed = async (given: object) => {
    const before = hashing.computed
    await signIn(service.url, { email, ...given }, newAddress())
    return hashing.computed - before
  }
  await computed({ password: 'to begin with' })
  expect(await computed({ password: 'a guess' }), 'nobody').toBe(1)
  expect(await computed({ password: 'a guess', account: demoAccount })).toBe(1)
  await service.admin('POST /user', { body: { ...person, password: 'first of all' } })
  expect(await computed({ password: 'a guess' }), 'one account').toBe(1)
  const { Id } = (await service.otherAdmin('POST /user', { body: { ...person, password: 'second of all' } })).json.User
  expect(await computed({ password: 'a guess' }), 'two accounts').toBe(1)
  expect(await computed({ password: 'a guess', account: demoAccount })).toBe(1)
  // A hash with its own salt, as created by former versions, gets the shared salt at the next sign-in.
  const { hash } = await import('../../../../tests/support/quick-argon2.ts')
  await ownerQuery(service.databaseUrl, 'update users set password_hash = $1 where id = $2', [await hash('of old'), Id])
  expect(await computed({ password: 'a guess' })).toBe(2)
  time += 16 * minute
  const both = await Promise.all([1, 2, 3].map(() => signIn(service.url, { email, password: 'of old' }, newAddress())))
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await computed({ password: 'a guess' })).toBe(1)
  expect((await signIn(service.url, { email, password: 'of old' }, newAddress())).json.UserId).toBe(Id)
  time += 16 * minute
})

test('two users of one account whose addresses became equal can both sign in', async () => {
  const one = { firstName: 'Mia', lastName: 'One', email: 'mia@example.com', password: 'the first of the two' }
  const other = { ...one, email: 'mia2@example.com', password: 'the second of the two' }
  const ids: string[] = []
  for (const user of [one, other])
    ids.push((await service.admin('POST /user', { body: { ...user, role: 'read' } })).json.User.Id)
  // As stored by a former version and left by the migration.
  const former = 'ｍia@example.com'
  await ownerQuery(service.databaseUrl, 'update users set email = $1 where id = $2', [former, ids[1]])
  await ownerQuery(service.databaseUrl, 'update user_emails set email = $1 where user_id = $2', [former, ids[1]])
  const signed = async (email: string, password: string) =>
    (await signIn(service.url, { email, password }, newAddress())).json.UserId
  expect(await signed(one.email, one.password)).toBe(ids[0])
  expect(await signed(former, other.password)).toBe(ids[1])
  await ownerQuery(
    service.databaseUrl,
    'update users u set password_hash = o.password_hash from users o where u.id = $1 and o.id = $2',
    [ids[1], ids[0]],
  )
  expect(await signed(one.email, one.password)).toBe(ids[0])
  expect(await signed(former, one.password), 'the one that was typed').toBe(ids[1])
  const taken = await service.admin('POST /user', { body: { ...one, email: 'MIA@example.com', role: 'read' } })
  expect([taken.status, taken.json.Errors.API.Error]).toEqual([409, expect.stringContaining('exists already')])
  expect((await service.admin(`DELETE /user/${ids[1]}`)).status).toBe(200)
  expect(await signed(former, one.password)).toBe(ids[0])
  time += 16 * minute
})

test('concurrent attempts, several processes and restarts allow no more guesses', async () => {
  expect(await guess(pablo.email, 4)).toEqual(Array(4).fill(401))
  // Starts after the first attempts, like a restarted process.
  const second = await startTestService({ clock, environment, databaseUrl: service.databaseUrl })
  const urls = [service.url, second.url]
  const tries = Array.from({ length: 20 }, (_, number) => wrong(pablo.email, newAddress(), urls[number % 2]))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(6)
  expect((await right(newAddress(), second.url)).status).toBe(429)
  await second.stop()
  time += 16 * minute
})

test('the number of stored counters is limited', async () => {
  const rows = async () =>
    (await ownerQuery<{ rows: number }>(service.databaseUrl, 'select count(*)::int as rows from sign_in_attempts'))[0]
      ?.rows
  await ownerQuery(
    service.databaseUrl,
    `insert into sign_in_attempts (subject, attempts, last) select decode(lpad(to_hex(n), 64, '0'), 'hex'), 1, $1::timestamptz - n * interval '1 millisecond'
     from generate_series(1, 101000) n`,
    [new Date(time)],
  )
  const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
  for (let number = 0; number < 110; number++)
    await countAttempt(database.shared, ['reset', `somebody${number}@example.com`], new Date(time))
  await database.close()
  expect(await rows()).toBeLessThan(100_500)
  time += 16 * minute
  await ownerQuery(service.databaseUrl, 'truncate sign_in_attempts')
})

test('IPv6 addresses count by network', () => {
  expect(networkOf('2001:db8:0:1:aaaa::1')).toBe(networkOf('2001:0db8::1:bbbb:0:0:2'))
  expect(networkOf('2001:db8:0:2::1')).not.toBe(networkOf('2001:db8:0:1::1'))
  expect(networkOf('::1')).toBe(networkOf('0:0:0:0:0:0:0:2'))
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9')
})
