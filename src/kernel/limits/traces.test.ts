import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { deep } from '../../../tests/support/randomness.ts'
import { account, type Installation, newInstallation, newOracle, randomNumbers, rulesOf } from './simulation.fixture.ts'

/** Small, so that short traces reach every limit. */
const rules = rulesOf(8, 16, 26, 2)
const traces = deep(11, 35)

let database: { url: string; drop(): Promise<void> }

beforeAll(async () => {
  database = await freshDatabase()
})

afterAll(() => database.drop())

test.each([1, 2, 3])('random calls on %i processes match the reference implementation', async (processes) => {
  const installation = newInstallation(database.url, rules)
  while (installation.processes.length < processes) await installation.start()
  const answers = { second: 0, five: 0, day: 0, block: 0, admitted: 0, atOnce: 0 }
  for (let trace = 0; trace < traces; trace++) await runTrace(installation, processes * 1000 + trace, answers)
  await installation.stop()
  expect(installation.errors).toEqual([])
  for (const number of Object.values(answers)) expect(number).toBeGreaterThan(traces / 7)
})

/** Fifty calls of one user on random processes, and a restart of a process during some of the traces. */
async function runTrace(installation: Installation, seed: number, answers: Record<string, number>) {
  const random = randomNumbers(seed)
  const judge = newOracle(rules)
  const restartAt = random(150)
  const pace = [60, 200, 400][random(3)]!
  let beaten = installation.time
  for (let call = 0; call < 50; call++) {
    if (call === restartAt) await restart(installation, random)
    const process = installation.processes[random(installation.processes.length)]!
    const answer = process.admit(account, `00A${seed}`)
    const { admitted, reason = 'admitted' } = await answer
    expect({ seed, call, reason, admitted }).toMatchObject({ admitted: judge(installation.time) })
    answers[reason]!++
    // Time does not advance before every process has received the block.
    if (reason === 'second' || reason === 'five') await installation.messagesDelivered()
    if (admitted && !(answer instanceof Promise)) answers.atOnce!++
    installation.time += random(3) > 0 ? random(pace) : random(401)
    if (installation.time - beaten < 2000) continue
    await installation.advance(0)
    beaten = installation.time
  }
}

async function restart(installation: Installation, random: (limit: number) => number) {
  await installation.processes[random(installation.processes.length)]!.stop()
  installation.time += random(3000)
  await installation.start()
}
