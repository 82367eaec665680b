import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import {
  type CountingProcess,
  deleteCounts,
  type Installation,
  newInstallation,
  randomNumbers,
  rulesOf,
  user,
} from './simulation.fixture.ts'

const rules = (day: number) => rulesOf(60, 120, day, 900)

let database: { url: string; drop(): Promise<void> }
let installation: Installation

beforeAll(async () => {
  database = await freshDatabase()
})

afterEach(async () => {
  await installation.stop()
  expect(installation.errors).toEqual([])
  await deleteCounts(database.url)
})

afterAll(() => database.drop())

test.each([1, 2, 3])(
  '%i processes together admit the daily limit of 100 calls, and again after midnight',
  async (count) => {
    installation = newInstallation(database.url, rules(100))
    const processes = await startAll(count)
    expect(await admittedUntilRefused(processes)).toBe(100)
    for (const process of processes) {
      expect(await process.call(user)).toMatchObject({ admitted: false, reason: 'day', remaining: 0 })
    }
    const midnight = Date.parse('2026-09-01T00:00:00Z')
    await installation.advance(midnight - installation.time - 1)
    expect(await processes[0]!.call(user)).toMatchObject({ admitted: false, resetSeconds: 1, retryAfter: 1 })
    await installation.advance(1)
    expect(await processes[0]!.call(user)).toMatchObject({ admitted: true, remaining: 99, resetSeconds: 86_400 })
    expect(await admittedUntilRefused(processes)).toBe(99)
  },
)

test('two processes admit 2,000 calls a day across a restart', async () => {
  installation = newInstallation(database.url, rulesOf(1000, 1000, 2_000, 900))
  const processes = await startAll(2)
  let admitted = 0
  while (admitted < 1_200) admitted += await admittedOf(processes, 40, 9_000)
  await processes[0]!.stop()
  processes[0] = await installation.start()
  expect(admitted + (await admittedUntilRefused(processes, 40, 9_000))).toBe(2_000)
})

test('counts that three processes have not shared yet cannot exceed the daily limit', async () => {
  installation = newInstallation(database.url, rulesOf(1000, 1000, 100, 900))
  const processes = await startAll(3)
  let admitted = 0
  for (const process of processes) admitted += await admittedOf([process], 40, 0)
  expect(admitted).toBe(100)
})

test('exceeding the daily limit starts no block', async () => {
  installation = newInstallation(database.url, rules(30))
  const [process] = await startAll(1)
  expect(await admittedOf([process!], 200)).toBe(30)
  await installation.advance(12 * 3_600_000)
  expect(await process!.call(user)).toMatchObject({ admitted: true })
})

test('the row restarts its count each day, including for a process that runs past midnight', async () => {
  installation = newInstallation(database.url, rules(100))
  const processes = await startAll(1)
  expect(await admittedOf(processes, 5)).toBe(5)
  await installation.advance(12 * 3_600_000)
  expect(await admittedOf(processes, 3)).toBe(3)
  expect(await ownerQuery(database.url, 'select day_count from rate_limits')).toEqual([{ day_count: 3 }])
})

async function startAll(count: number): Promise<CountingProcess[]> {
  while (installation.processes.length < count) await installation.start()
  return [...installation.processes]
}

async function admittedUntilRefused(processes: CountingProcess[], calls = 20, pause = 1000): Promise<number> {
  let admitted = 0
  for (;;) {
    const more = await admittedOf(processes, calls, pause)
    admitted += more
    if (more < calls) return admitted
  }
}

/** Makes this many calls on random processes, then pauses. */
async function admittedOf(processes: CountingProcess[], calls: number, pause = 1000): Promise<number> {
  const random = randomNumbers(installation.time)
  let admitted = 0
  for (let call = 0; call < calls; call++) {
    if ((await processes[random(processes.length)]!.call(user)).admitted) admitted++
  }
  if (pause > 0) await installation.advance(pause)
  return admitted
}
