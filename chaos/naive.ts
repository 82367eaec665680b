import { spawn } from 'node:child_process'
import type { Program } from '../tests/support/program.ts'
import type { Installation } from './installation.ts'

/** Starts the control in place of the product's worker. */
export async function startNaiveWorker({ environment }: Installation): Promise<Program> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'chaos/naive-worker.ts'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return { child, ended, output: () => '', printed: async () => '' }
}
