import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { deep } from '../../../tests/support/randomness.ts'
import { systemClock } from '../clock.ts'
import { openListener } from '../database/listener.ts'
import {
  account,
  admittedOf,
  type CountingProcess,
  deleteCounts,
  type Installation,
  newInstallation,
  newOracle,
  randomNumbers,
  rulesOf,
  user,
  usual,
} from './simulation.fixture.ts'

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

test.each([2, 4])('concurrent bursts on %i processes are admitted exactly up to the limits', async (count) => {
  const rules = rulesOf(9, 20, 70, 2)
  installation = newInstallation(database.url, rules)
  await startAll(count)
  const { processes } = installation
  const outcomes = { all: 0, some: 0, none: 0 }
  for (let seed = 0; seed < deep(4, 10); seed++) {
    const random = randomNumbers(100 * count + seed)
    const judge = newOracle(rules)
    for (let wave = 0; wave < 12; wave++) {
      const calls = random(8)
      const expected = Array.from({ length: calls }, () => judge(installation.time)).filter(Boolean).length
      const answers = await atOnce(processes, calls, random, `00A${seed}`)
      const admitted = answers.filter((answer) => answer.admitted).length
      expect({ seed, wave, admitted }).toEqual({ seed, wave, admitted: expected })
      if (calls > 0) outcomes[admitted === calls ? 'all' : admitted > 0 ? 'some' : 'none']++
      await installation.messagesDelivered()
      await installation.advance(random(700))
      if (random(5) > 0) continue
      await processes[random(count)]!.stop()
      await installation.start()
    }
  }
  for (const number of Object.values(outcomes)) expect(number).toBeGreaterThan(2)
})

test.each([2, 4])(
  'with a running clock %i processes exceed a window at most by calls that arrived while others waited',
  async (count) => {
    installation = newInstallation(database.url, usual, { clock: systemClock, pace: 100 })
    const processes = await startAll(count)
    const admitted: number[] = []
    let longest = 0
    const press = async (process: CountingProcess) => {
      for (;;) {
        const at = performance.now()
        const answer = await process.call(user)
        longest = Math.max(longest, performance.now() - at)
        if (!answer.admitted) return
        admitted.push(at)
      }
    }
    await Promise.all(processes.flatMap((process) => Array.from({ length: 8 }, () => press(process))))
    admitted.sort((one, other) => one - other)
    const most = (window: number) =>
      Math.max(...admitted.map((from) => admitted.filter((at) => at >= from && at < from + window).length))
    expect(most(1000 - longest)).toBeLessThanOrEqual(60)
    expect(most(5000 - longest)).toBeLessThanOrEqual(120)
    expect(admitted.length).toBeGreaterThanOrEqual(60)
    for (const process of processes)
      expect(await process.call(user)).toMatchObject({ admitted: false, reason: 'block' })
  },
)

test('a process that dies under load causes no block, and the other three keep the limits', async () => {
  installation = newInstallation(database.url, usual)
  const [dying, ...others] = await startAll(4)
  const random = randomNumbers(4)
  const before = atOnce(others, 30, random)
  const lost = Promise.allSettled(Array.from({ length: 10 }, () => dying!.call(user)))
  await dying!.kill()
  await lost
  expect((await before).filter(({ admitted }) => admitted)).toHaveLength(30)
  await installation.advance(5_000)
  const answers = await atOnce(others, 90, random)
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(60)
  expect(answers.filter(({ reason }) => reason === 'second')).toHaveLength(1)
})

test('calls need no statement each, and none at all while the caller is blocked', async () => {
  installation = newInstallation(database.url, usual)
  const [only] = await startAll(1)
  await only!.call(user)
  await only!.beat()
  const { statements } = only!
  expect(await admittedOf([only!], 59)).toBe(59)
  expect(only!.statements).toBe(statements)
  await only!.beat()
  expect(only!.statements).toBe(statements + 1)
  expect(await only!.call(user)).toMatchObject({ reason: 'second' })
  const blocked = only!.statements
  for (let call = 0; call < 5_000; call++) only!.admit(account, user)
  await only!.beat()
  expect(only!.statements).toBe(blocked)
})

test('waiting calls are decided in batches, and processes exchange requests at most once per interval', async () => {
  const pace = 40
  installation = newInstallation(database.url, usual, { pace })
  const [one, other] = await startAll(2)
  await admittedOf([one!, other!], 2)
  let requests = 0
  const listener = await openListener(database.url)
  await listener.on('rate_limits', (payload) => payload?.includes('"ask"') && requests++)
  const before = { statements: one!.statements, time: performance.now() }
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => one!.call(user)))
  const took = performance.now() - before.time
  expect(answers.filter(({ admitted }) => admitted)).toHaveLength(58)
  expect(one!.statements - before.statements).toBeLessThan(40)
  await expect.poll(() => requests).toBeGreaterThan(3)
  await listener.close()
  expect(took).toBeGreaterThan((requests - 1) * pace - 2 * requests)
})

test('counts of many callers are written in one statement, by two processes concurrently', async () => {
  installation = newInstallation(database.url, usual)
  const [one, other] = await startAll(2)
  const callers = Array.from({ length: 100 }, (_, index) => [`001account${index % 7}`, `00A${index}`] as const)
  for (let round = 0; round < 3; round++) {
    await Promise.all(callers.map(async ([account, caller]) => one!.admit(account, caller)))
    await Promise.all(callers.toReversed().map(async ([account, caller]) => other!.admit(account, caller)))
    const before = [one!.statements, other!.statements]
    await Promise.all([one!.beat(), other!.beat()])
    // In the first round some counts were written with responses, and old rows were deleted.
    if (round > 0) expect([one!.statements, other!.statements]).toEqual(before.map((number) => number + 1))
  }
  const rows = await ownerQuery(database.url, 'select sum(day_count)::int as calls, count(*)::int from rate_limits')
  expect(rows).toEqual([{ calls: 100 * 3 * 2, count: 100 }])
})

test('idle callers are dropped from memory and release their share', async () => {
  installation = newInstallation(database.url, usual)
  const [one] = await startAll(1)
  await one!.call(user)
  for (let beat = 0; beat < 60; beat++) await one!.beat()
  expect(await ownerQuery(database.url, `select parts <> '{}' as held, day_count from rate_limits`)).toEqual([
    { held: true, day_count: 1 },
  ])
  await one!.beat()
  expect(await ownerQuery(database.url, `select parts <> '{}' as held, day_count from rate_limits`)).toEqual([
    { held: false, day_count: 1 },
  ])
  const { statements } = one!
  await one!.beat()
  expect(one!.statements).toBe(statements)
  expect(await one!.call(user)).toMatchObject({ admitted: true, remaining: 49_998 })
})

test('rows that no longer affect a limit are deleted', async () => {
  installation = newInstallation(database.url, usual)
  await ownerQuery(
    database.url,
    `insert into rate_limits (caller, day, blocked_until) values ('a old', '2026-08-29', null),
     ('a over', '2026-08-29', '2026-08-31T11:59:59Z'), ('a blocked', '2026-08-29', '2026-08-31T12:00:01Z'),
     ('a yesterday', '2026-08-30', null)`,
  )
  await (await startAll(1))[0]!.beat()
  const rows = await ownerQuery<{ caller: string }>(database.url, 'select caller from rate_limits order by caller')
  expect(rows.map(({ caller }) => caller)).toEqual(['a blocked', 'a yesterday'])
})

async function startAll(count: number): Promise<CountingProcess[]> {
  while (installation.processes.length < count) await installation.start()
  return [...installation.processes]
}

/** Makes this many concurrent calls on random processes. */
function atOnce(processes: CountingProcess[], calls: number, random: (limit: number) => number, caller = user) {
  return Promise.all(Array.from({ length: calls }, () => processes[random(processes.length)]!.call(caller)))
}
