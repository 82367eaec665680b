import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import {
  account,
  admittedOf,
  type CountingProcess,
  deleteCounts,
  type Installation,
  newInstallation,
  rulesOf,
  user,
  usual,
} from './simulation.fixture.ts'

let database: { url: string; drop(): Promise<void> }
let installation: Installation

beforeAll(async () => {
  database = await freshDatabase()
})

beforeEach(() => {
  installation = newInstallation(database.url, usual)
})

afterEach(async () => {
  await installation.stop()
  expect(installation.errors).toEqual([])
  await deleteCounts(database.url)
})

afterAll(() => database.drop())

test('two processes far from the limits decide synchronously and independently', async () => {
  const [one, other] = await startTwo()
  await Promise.all([one.call(user), other.call(user)])
  for (let call = 0; call < 20; call++) {
    expect(one.admit(account, user)).toMatchObject({ admitted: true })
    expect(other.admit(account, user)).toMatchObject({ admitted: true })
  }
})

test('a new process loads the calls admitted before it started', async () => {
  const first = await installation.start()
  expect(await admittedOver(first, 4, 25)).toBe(100)
  const second = await installation.start()
  expect(await admittedOver(second, 1, 30)).toBe(20)
})

test('calls admitted by a stopped process still count', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOver(one, 2, 29)).toBe(58)
  expect(await admittedOver(other, 2, 29)).toBe(58)
  await one.stop()
  expect(await admittedOver(other, 1, 29)).toBe(4)
})

test('a process takes only as much of the unallocated share as it needs', async () => {
  const [one, other] = await startTwo()
  await admittedOf([one, other], 2)
  await installation.advance(6_000)
  await other.stop()
  expect(await admittedOf([one], 40)).toBe(40)
  const rows = await ownerQuery<{ parts: object }>(database.url, 'select parts from rate_limits')
  expect(Object.values(rows[0]!.parts)).toEqual([[60, 60, expect.any(Number)]])
})

test('a block shorter than the windows keeps all counts, even if a process starts meanwhile', async () => {
  await installation.stop()
  installation = newInstallation(database.url, rulesOf(10, 12, 1000, 1))
  const first = await installation.start()
  expect(await admittedOf([first], 11)).toBe(10)
  const second = await installation.start()
  await installation.advance(1000)
  expect(await admittedOf([second], 5)).toBe(2)
})

test('calls that one process admitted in the last five seconds count in the other', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOver(one, 12, 24)).toBe(12 * 24)
  expect(await admittedOver(other, 1, 60)).toBe(120 - 4 * 24)
})

test('each process decides alone again once a caller has slowed down', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOver(one, 1, 40)).toBe(40)
  const first = other.admit(account, user)
  expect(first).toBeInstanceOf(Promise)
  await first
  for (let second = 0; second < 12; second++) await installation.advance(1000)
  await Promise.all([one.call(user), other.call(user)])
  for (let call = 0; call < 20; call++) {
    expect(one.admit(account, user)).toMatchObject({ admitted: true })
    expect(other.admit(account, user)).toMatchObject({ admitted: true })
  }
})

test('a suspended process admits no more than its share after it resumes', async () => {
  const [awake, sleeper] = await startTwo()
  expect(await admittedOver(sleeper, 1, 20)).toBe(20)
  installation.time += 20_000
  await awake.beat()
  const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => (index % 2 ? awake : sleeper).call(user)))
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(60)
})

test('a block reaches all processes immediately, without a database query', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOf([one, other], 60)).toBe(60)
  expect(await one.call(user)).toMatchObject({ reason: 'second' })
  await installation.messagesDelivered()
  installation.time += 2_000
  const { statements } = other
  expect(other.admit(account, user)).toMatchObject({ admitted: false, reason: 'block', retryAfter: 898 })
  expect(other.statements).toBe(statements)
})

test('a process that was considered gone loses its share once it reads the row', async () => {
  const [one, other] = await startTwo()
  await admittedOf([one, other], 2)
  other.dropsMessages = true
  expect(await admittedOf([one], 58)).toBe(58)
  expect(await other.call(user)).toMatchObject({ admitted: true })
  await other.beat()
  other.dropsMessages = false
  expect(await other.call(user)).toMatchObject({ admitted: false, reason: 'second' })
  await installation.messagesDelivered()
  await installation.advance(15 * 60_000)
  expect(await admittedOf([other, one], 30)).toBe(30)
  expect(await admittedOf([one], 40)).toBe(30)
})

test('a process releases the share of a caller it has dropped from memory on request', async () => {
  const [one, other] = await startTwo()
  await one.call('00Aknown0000000')
  const partOf = async (caller: string) =>
    (
      await ownerQuery<{ parts: Record<string, number[]> }>(
        database.url,
        'select parts from rate_limits where caller = $1',
        [`${account} ${caller}`],
      )
    )[0]!.parts
  const [id] = Object.keys(await partOf('00Aknown0000000'))
  const insert = `insert into rate_limits (caller, day, parts) values ($1, '2026-08-31', $2)`
  await ownerQuery(database.url, insert, [`${account} ${user}`, JSON.stringify({ [id!]: [60, 120, 50_000] })])
  expect(await other.call(user)).toMatchObject({ admitted: true, remaining: 49_999 })
  expect((await partOf(user))[id!]).toEqual([0, 0, 0])
})

test('a process that may have missed messages reads the row before it decides', async () => {
  const [one, other] = await startTwo()
  await admittedOf([one, other], 2)
  other.dropsMessages = true
  expect(await admittedOf([one], 61)).toBe(59)
  other.dropsMessages = false
  other.simulateGap()
  expect(await other.call(user)).toMatchObject({ admitted: false, reason: 'block' })
})

test('an invalid message on the channel is reported and otherwise ignored', async () => {
  const [one] = await startTwo()
  const words = ['nonsense', 'null', '{"kind":"ask","from":"somebody"}']
  for (const word of words) await ownerQuery(database.url, `select pg_notify('rate_limits', $1)`, [word])
  await installation.messagesDelivered()
  expect(await one.call(user)).toMatchObject({ admitted: true })
  expect(installation.errors.splice(0)).toHaveLength(2 * words.length)
})

test('each kind of caller has separate rules and a separate block', async () => {
  const rules = { windows: [{ name: 'ten', calls: 120, seconds: 10 }], day: 1_000_000, blockSeconds: 1 }
  const sessions = newInstallation(database.url, rules)
  const [users, browser, second] = [await installation.start(), await sessions.start(), await sessions.start()]
  expect(await admittedOf([users], 61)).toBe(60)
  expect(await admittedOf([browser, second], 121, '0bsession000000')).toBe(120)
  expect(await second.call('0bsession000000')).toMatchObject({ admitted: false, reason: 'block', retryAfter: 1 })
  expect(browser.policy).toBe('"ten";q=120;w=10, "day";q=1000000;w=86400')
  sessions.time += 10_000
  expect(await browser.call('0bsession000000')).toMatchObject({ admitted: true })
  expect(await users.call(user)).toMatchObject({ reason: 'block' })
  await sessions.stop()
  expect(sessions.errors).toEqual([])
})

async function startTwo(): Promise<[CountingProcess, CountingProcess]> {
  return [await installation.start(), await installation.start()]
}

/** How many calls one process admits at this rate per second. */
async function admittedOver(process: CountingProcess, seconds: number, calls: number): Promise<number> {
  let admitted = 0
  for (let second = 0; second < seconds; second++) {
    admitted += await admittedOf([process], calls)
    await installation.advance(1000)
  }
  return admitted
}
