import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database.ts'
import type { LimitRules } from './limits.ts'
import { type Installation, newInstallation, newOracle, randomNumbers } from './simulation.ts'

const rules: LimitRules = { second: 8, fiveSeconds: 16, day: 45, blockSeconds: 2 }
const traces = 70

let databases: { url: string; drop(): Promise<void> }[]

beforeAll(async () => {
  databases = await Promise.all([freshDatabase(), freshDatabase(), freshDatabase()])
})

afterAll(async () => {
  for (const { drop } of databases) await drop()
})

test.concurrent.each([1, 2, 3])('random calls on %i processes are judged as by the rules', async (processes) => {
  const installation = newInstallation(databases[processes - 1]!.url, rules)
  while (installation.processes.length < processes) await installation.start()
  const seen = { admitted: 0, refused: 0, quiet: 0 }
  for (let trace = 0; trace < traces; trace++) await runTrace(installation, processes * 1000 + trace, seen)
  await installation.stop()
  console.log(processes, seen)
  expect(seen.refused).toBeGreaterThan(traces)
})

/** Bursts and pauses of one user, wherever the calls land, with a restart in some traces. */
async function runTrace(
  installation: Installation,
  seed: number,
  seen: { admitted: number; refused: number; quiet: number },
) {
  const random = randomNumbers(seed)
  const judge = newOracle(rules)
  const restartAt = random(150)
  const pace = [60, 200, 400][random(3)]!
  let beaten = installation.time
  for (let call = 0; call < 50; call++) {
    if (call === restartAt) await restart(installation, random)
    const { processes } = installation
    const process = processes[random(processes.length)]!
    const answer = process.admit('001aaaaaaaaaaaa', `00A${seed}`)
    if (!(answer instanceof Promise)) seen.quiet++
    const { admitted, reason } = await answer
    expect({ seed, call, admitted, reason }).toMatchObject({ admitted: judge(installation.time) })
    seen[admitted ? 'admitted' : 'refused']++
    installation.time += random(3) > 0 ? random(pace) : random(401)
    if (installation.time - beaten >= 1000) await installation.pass(0)
    if (installation.time - beaten >= 1000) beaten = installation.time
  }
}

async function restart(installation: Installation, random: (limit: number) => number) {
  await installation.processes[random(installation.processes.length)]!.stop()
  installation.time += random(3000)
  await installation.start()
}
