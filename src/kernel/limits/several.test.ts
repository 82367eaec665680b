import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database.ts'
import {
  account,
  admittedOf,
  type CountingProcess,
  forgetEverything,
  type Installation,
  newInstallation,
  user,
} from './simulation.fixture.ts'

let database: { url: string; drop(): Promise<void> }
let installation: Installation

beforeAll(async () => {
  database = await freshDatabase()
})

beforeEach(() => {
  installation = newInstallation(database.url, { second: 60, fiveSeconds: 120, day: 50_000, blockSeconds: 900 })
})

afterEach(async () => {
  await installation.stop()
  expect(installation.errors).toEqual([])
  await forgetEverything(database.url)
})

afterAll(() => database.drop())

test('two processes far from the limits answer at once, each by itself', async () => {
  const [one, other] = await startTwo()
  await Promise.all([one.call(user), other.call(user)])
  for (let call = 0; call < 20; call++) {
    expect(one.admit(account, user)).toMatchObject({ admitted: true })
    expect(other.admit(account, user)).toMatchObject({ admitted: true })
  }
})

test('a process that arrives learns what was admitted before it came', async () => {
  const first = await installation.start()
  expect(await admittedOver(first, 4, 25)).toBe(100)
  const second = await installation.start()
  expect(await admittedOver(second, 1, 30)).toBe(20)
})

test('what a stopped process admitted still counts', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOver(one, 2, 29)).toBe(58)
  expect(await admittedOver(other, 2, 29)).toBe(58)
  await one.stop()
  expect(await admittedOver(other, 1, 29)).toBe(4)
})

test('a block shorter than the windows forgets nothing, whoever arrives meanwhile', async () => {
  await installation.stop()
  installation = newInstallation(database.url, { second: 10, fiveSeconds: 12, day: 1000, blockSeconds: 1 })
  const first = await installation.start()
  expect(await admittedOf([first], 11)).toBe(10)
  const second = await installation.start()
  await installation.pass(1000)
  expect(await admittedOf([second], 5)).toBe(2)
})

test('users stay shared for as long as they call often', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOver(one, 12, 24)).toBe(12 * 24)
  expect(await admittedOver(other, 1, 60)).toBe(120 - 4 * 24)
})

test('users who have become calm are decided on by each process again', async () => {
  const [one, other] = await startTwo()
  expect(await admittedOver(one, 1, 40)).toBe(40)
  const shared = other.admit(account, user)
  expect(shared).toBeInstanceOf(Promise)
  // Decided before the clock moves on: every decision while sharing is needed draws it out.
  await shared
  for (let second = 0; second < 12; second++) await installation.pass(1000)
  await Promise.all([one.call(user), other.call(user)])
  expect(one.admit(account, user)).toMatchObject({ admitted: true })
  expect(other.admit(account, user)).toMatchObject({ admitted: true })
})

test('a process that slept hands in its calls late and introduces itself anew', async () => {
  const [awake, sleeper] = await startTwo()
  expect(await admittedOver(sleeper, 1, 20)).toBe(20)
  installation.time += 20_000
  await awake.beat()
  const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => (index % 2 ? awake : sleeper).call(user)))
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(60)
})

async function startTwo(): Promise<[CountingProcess, CountingProcess]> {
  return [await installation.start(), await installation.start()]
}

/** How many calls one process admits when so many come every second. */
async function admittedOver(process: CountingProcess, seconds: number, calls: number): Promise<number> {
  let admitted = 0
  for (let second = 0; second < seconds; second++) {
    admitted += await admittedOf([process], calls)
    await installation.pass(1000)
  }
  return admitted
}
