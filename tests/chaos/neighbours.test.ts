import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAttacks } from '../../chaos/neighbours/attack.ts'
import { attackNames } from '../../chaos/neighbours/attacker.ts'
import { type Neighbourhood, openNeighbourhood } from '../../chaos/neighbours/neighbours.ts'
import { damageOf, failuresIn, memoryGrowth } from '../../chaos/neighbours/runs.ts'
import { endPrograms } from '../support/program.ts'
import { deep } from '../support/randomness.ts'
import { freshDemo } from './chaos-database.ts'

let database: Awaited<ReturnType<typeof freshDemo>>
let here: Neighbourhood
beforeAll(async () => {
  database = await freshDemo()
  const environment = { CHORUS_SECRET_KEYS: database.demo.keyring }
  here = await openNeighbourhood({
    databaseUrl: database.url,
    environment,
    part: deep(0.2, 1),
    posts: deep(3_000, 20_000),
  })
})
afterAll(async () => {
  endAttacks()
  await here?.close()
  await endPrograms()
  await database.drop()
})

// A small part of each run of `npm run chaos`; docs/reliability.md records the full runs. With few requests the slowest depend on the
// machine, so only failures are judged: requests time out after minutes, and 503 responses are retried.

const brief = {
  seconds: deep(0.6, 1),
  rampMs: deep(400, 1_000),
  timeouts: { timeoutSeconds: 240, retryUnavailable: true as const },
  seed: 7,
}

test('attacks of one account cause no failed request, upload or post of another', async () => {
  // One user per attack, two with all attacks.
  const attackers = deep(attackNames.length, 2 * attackNames.length)
  expect(failuresIn(await here.attack({ ...brief, names: attackNames, attackers }))).toEqual([])
})

test('eighty unauthenticated sockets cause no failed request, upload or post', async () => {
  const report = await here.attack({ ...brief, names: ['anonymous'] })
  expect([...failuresIn(report), ...memoryGrowth(report)]).toEqual([])
})

const large = { names: ['large'] as const, seconds: deep(3, 10), timeouts: brief.timeouts, seed: 7 }

test('large reads of one account do not block others, and use little memory', async () => {
  // On a busy machine the first large responses take longer than the attack.
  let answers = 0
  for (let seconds = large.seconds; answers === 0 && seconds < 100; seconds *= 3) {
    const report = await here.attack({ ...large, seconds })
    expect([...failuresIn(report), ...memoryGrowth(report)]).toEqual([])
    answers = report.attack.large?.['200'] ?? 0
  }
  expect(answers).toBeGreaterThan(0)
})

test('negative control: large responses in one piece delay other requests', async () => {
  const { ratio, memory, alone, beside } = await here.control(large)
  expect(alone.failures).toEqual([])
  expect(damageOf({ ratio, memory })).not.toEqual([])
  expect(beside.calls.p50).toBeGreaterThan(3 * alone.calls.p50)
})

// Last test: its downloads occupy the slots of the account for minutes.
test('negative control: attackers in the same account delay its uploads', async () => {
  const before = await here.measure(1)
  expect(before.uploads.failures).toEqual([])
  // One attacker starts far more downloads than there are slots.
  const control = { names: ['drips'], timeouts: { timeoutSeconds: 8 }, sameAccount: true, attackers: 1 } as const
  const damageAfter = async (ramp: number) => {
    const { beside } = await here.attack({ ...brief, ...control, rampMs: ramp })
    return beside.uploads.failures.length
  }
  // The attackers have low priority and need longer to ramp up on a busy machine.
  let damage = 0
  for (let ramp = brief.rampMs; damage === 0 && ramp < 16_000; ramp *= 3) damage = await damageAfter(ramp)
  expect(damage).toBeGreaterThan(0)
})
