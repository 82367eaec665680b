import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import {
  account,
  admittedOf,
  type CountingProcess,
  deleteCounts,
  type Installation,
  newInstallation,
  newOracle,
  user,
  usual,
} from './simulation.fixture.ts'

const minute = 60_000
const day = 24 * 60 * minute

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

test('the 61st call in a second is refused and blocks the user for 15 minutes', async () => {
  const only = await installation.start()
  expect(await admittedOf([only], 60)).toBe(60)
  expect(await only.call(user)).toEqual({
    admitted: false,
    reason: 'second',
    remaining: 49_940,
    resetSeconds: 43_200,
    retryAfter: 900,
  })
  await installation.advance(15 * minute - 1)
  expect(await only.call(user)).toMatchObject({ admitted: false, reason: 'block', retryAfter: 1 })
  await installation.advance(2)
  expect(await only.call(user)).toMatchObject({ admitted: true, remaining: 49_939 })
})

test('the 121st call in five seconds is refused, and another user is not', async () => {
  const only = await installation.start()
  for (let second = 0; second < 4; second++) {
    expect(await admittedOf([only], 30)).toBe(30)
    await installation.advance(1000)
  }
  await installation.advance(999)
  expect(await only.call(user)).toMatchObject({ admitted: false, reason: 'five' })
  expect(await only.call('00Abbbbbbbbbbb')).toMatchObject({ admitted: true })
})

test('a call leaves a window as soon as it is as old as the window', async () => {
  const only = await installation.start()
  const users = ['00Aearly0000000', '00Alate00000000']
  for (const each of users) await admittedOf([only], 1, each)
  installation.time += 900
  for (const each of users) expect(await admittedOf([only], 59, each)).toBe(59)
  installation.time += 99
  expect(await only.call(users[0]!)).toMatchObject({ admitted: false, reason: 'second' })
  installation.time += 1
  expect(await only.call(users[1]!)).toMatchObject({ admitted: true })
  expect(await only.call(users[1]!)).toMatchObject({ admitted: false, reason: 'second' })
})

test('calls inside a block do not prolong it and are not counted', async () => {
  const only = await installation.start()
  await admittedOf([only], 61)
  for (let minutes = 0; minutes < 15; minutes++) {
    expect(await admittedOf([only], 100)).toBe(0)
    await installation.advance(minute)
  }
  expect(await only.call(user)).toMatchObject({ admitted: true, remaining: 49_939 })
})

test.each([2, 3])(
  '%i processes together admit 60 calls in a second, and all of them apply the block',
  async (count) => {
    const processes: CountingProcess[] = []
    while (processes.length < count) processes.push(await installation.start())
    expect(await admittedOf(processes, 60)).toBe(60)
    expect(await processes[1]!.call(user)).toMatchObject({ admitted: false, reason: 'second' })
    for (const process of processes)
      expect(await process.call(user)).toMatchObject({ admitted: false, reason: 'block' })
  },
)

test('concurrent calls on three processes are admitted up to the limit and not beyond', async () => {
  const processes = [await installation.start(), await installation.start(), await installation.start()]
  const answers = await Promise.all(Array.from({ length: 90 }, (_, index) => processes[index % 3]!.call(user)))
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(60)
  expect(answers.filter(({ reason }) => reason === 'second')).toHaveLength(1)
})

test('a single process decides synchronously, even for a blocked user', async () => {
  const only = await installation.start()
  await only.call(user)
  expect(only.admit(account, user)).toMatchObject({ admitted: true })
  await admittedOf([only], 60)
  expect(only.admit(account, user)).toMatchObject({ admitted: false, reason: 'block' })
  expect(only.policy).toBe('"second";q=60;w=1, "five";q=120;w=5, "day";q=50000;w=86400')
})

test('a block that was set while the clock was a day ahead ends when it is set back', async () => {
  const first = await installation.start()
  await installation.advance(day)
  await admittedOf([first], 61)
  expect(await first.call(user)).toMatchObject({ admitted: false, reason: 'block' })
  await first.stop()
  await installation.advance(-day)
  const second = await installation.start()
  expect(await second.call(user)).toMatchObject({ admitted: true })
})

test('setting the clock back while calls are counted reduces no limit', async () => {
  const only = await installation.start()
  expect(await admittedOf([only], 60)).toBe(60)
  await installation.advance(-3_600_000)
  expect(await admittedOf([only], 61)).toBe(60)
  await installation.advance(-3_600_000)
  expect(await only.call(user)).toMatchObject({ admitted: true })
})

test('calls are decided in order of arrival', async () => {
  const only = await installation.start()
  const answered: number[] = []
  const calls = [0, 1, 2].map(async (call) => {
    await only.call(user)
    answered.push(call)
  })
  expect(only.admit(account, user)).toBeInstanceOf(Promise)
  await Promise.all(calls)
  expect(answered).toEqual([0, 1, 2])
  expect(await admittedOf([only], 56)).toBe(56)
  const last = only.admit(account, user)
  installation.time += 1_000
  const after = only.admit(account, user)
  expect(await last).toMatchObject({ admitted: false, reason: 'second' })
  expect(await after).toMatchObject({ admitted: false, reason: 'block' })
})

test('a restart keeps the calls of the last seconds, the block and the count of the day', async () => {
  const first = await installation.start()
  await admittedOf([first], 50)
  await first.stop()
  const second = await installation.start()
  expect(await admittedOf([second], 20)).toBe(10)
  await second.stop()
  const third = await installation.start()
  expect(await third.call(user)).toMatchObject({ admitted: false, reason: 'block' })
  await installation.advance(15 * minute)
  expect(await third.call(user)).toMatchObject({ admitted: true, remaining: 49_939 })
})

test('a block persists after its process is killed', async () => {
  const first = await installation.start()
  await admittedOf([first], 61)
  await first.kill()
  const second = await installation.start()
  expect(await second.call(user)).toMatchObject({ admitted: false, reason: 'block' })
})

test('a killed process is no longer awaited once it fails to respond', async () => {
  const [killed, survivor] = [await installation.start(), await installation.start()]
  await admittedOf([killed, survivor], 2)
  await killed.kill()
  await installation.advance(4_001)
  expect(await admittedOf([survivor], 61)).toBe(60)
})

test('control: processes that do not share a database exceed the limits', async () => {
  const elsewhere = await freshDatabase()
  const apart = newInstallation(elsewhere.url, usual)
  const processes = [await installation.start(), await apart.start()]
  const judge = newOracle(usual)
  const expected = Array.from({ length: 100 }, () => judge(installation.time)).filter(Boolean).length
  expect(await admittedOf(processes, 100)).not.toBe(expected)
  await apart.stop()
  await elsewhere.drop()
})
