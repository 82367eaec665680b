import { afterEach, beforeEach, expect, test } from 'vitest'
import { endAttacks } from '../../chaos/neighbours/attack.ts'
import { disturbedBy, grownBy, mostGrowth } from '../../chaos/neighbours/judge.ts'
import { badVisit } from '../../chaos/neighbours/neighbours.ts'
import { type AttackName, attackNames } from '../../chaos/neighbours/targets.ts'
import { freshDatabase } from '../support/database.ts'
import { endPrograms } from '../support/program.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(async () => {
  endAttacks()
  await endPrograms()
  await database.drop()
})

// A tenth of each run of `npm run chaos`; docs/reliability.md has the whole ones. Of so few calls the slowest say more of the machine than
// of the service: judged is only what fails, and a call fails after 20 seconds.

const tried = (names: readonly AttackName[], more: object = {}) =>
  badVisit({ databaseUrl: database.url, names, idleSeconds: 0, ...times, seed: 7, ...more })

const times = { rampSeconds: 1, seconds: 3, patienceSeconds: 60 }

test('while an account does its worst, no call, upload or post of another fails', async () => {
  expect(disturbedBy(await tried(attackNames))).toEqual([])
})

test('while nobody in particular holds eighty sockets, no call, upload or post of an account fails', async () => {
  const report = await tried(['anonymous'])
  expect([...disturbedBy(report), ...grownBy(report, mostGrowth.strangers)]).toEqual([])
})

test('the harness sees damage: who belongs to the same account can keep its uploads waiting', async () => {
  const { beside } = await tried(['drips'], { sameAccount: true, seconds: 3, patienceSeconds: 12 })
  expect(beside.uploads.failures.length).toBeGreaterThan(0)
})
