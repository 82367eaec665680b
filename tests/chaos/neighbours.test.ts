import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAttacks } from '../../chaos/neighbours/attack.ts'
import { damageOf, disturbedBy, grownBy } from '../../chaos/neighbours/judge.ts'
import { type Neighbourhood, openNeighbourhood } from '../../chaos/neighbours/neighbours.ts'
import { attackNames } from '../../chaos/neighbours/targets.ts'
import { deep } from '../support/depth.ts'
import { endPrograms } from '../support/program.ts'
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

// A small part of each run of `npm run chaos`; docs/reliability.md has the whole ones. Of so few calls the slowest say more of the machine
// than of the service: judged is only what fails; what is not answered fails after
// minutes, and whoever is told to come later does so.

const brief = {
  seconds: deep(0.6, 1),
  ramp: deep(400, 1_000),
  patience: { patienceSeconds: 240, forgiving: true as const },
  seed: 7,
}

test('while an account does its worst, no call, upload or post of another fails', async () => {
  // One user does each harm; with all there are, two do.
  const attackers = deep(attackNames.length, 2 * attackNames.length)
  expect(disturbedBy(await here.visit({ ...brief, names: attackNames, attackers }))).toEqual([])
})

test('while nobody in particular holds eighty sockets, no call, upload or post of an account fails', async () => {
  const report = await here.visit({ ...brief, names: ['anonymous'] })
  expect([...disturbedBy(report), ...grownBy(report)]).toEqual([])
})

const large = { names: ['large'] as const, seconds: deep(3, 10), patience: brief.patience, seed: 7 }

test('while an account asks for all of very much, others are answered, and the service holds little of it', async () => {
  // On a busy machine the first large answers take longer than a visit.
  let answers = 0
  for (let seconds = large.seconds; answers === 0 && seconds < 100; seconds *= 3) {
    const report = await here.visit({ ...large, seconds })
    expect([...disturbedBy(report), ...grownBy(report)]).toEqual([])
    answers = report.attack.large?.['200'] ?? 0
  }
  expect(answers).toBeGreaterThan(0)
})

test('the harness sees damage: a program that writes such answers in one piece keeps everybody waiting', async () => {
  const { ratio, memory, alone, beside } = await here.control(large)
  expect(alone.failures).toEqual([])
  expect(damageOf({ ratio, memory })).not.toEqual([])
  expect(beside.calls.p50).toBeGreaterThan(3 * alone.calls.p50)
})

// The last: the downloads that it begins keep the places of the account for minutes.
test('the harness sees damage: who belongs to the same account can keep its uploads waiting', async () => {
  const before = await here.stay(1)
  expect(before.uploads.failures).toEqual([])
  // One of them begins far more downloads than there are places.
  const control = { names: ['drips'], patience: { patienceSeconds: 8 }, sameAccount: true, attackers: 1 } as const
  const damageAfter = async (ramp: number) => {
    const { beside } = await here.visit({ ...brief, ...control, ramp })
    return beside.uploads.failures.length
  }
  // The attackers have the lowest priority: on a busy machine they need longer to come to strength.
  let damage = 0
  for (let ramp = brief.ramp; damage === 0 && ramp < 16_000; ramp *= 3) damage = await damageAfter(ramp)
  expect(damage).toBeGreaterThan(0)
})
