import type { Installation, KillableWorker } from './installation.ts'
import { startOwnProgram } from './programs.ts'

/** Starts the control in place of the product's worker. */
export async function startNaiveWorker({ environment }: Installation): Promise<KillableWorker> {
  const child = await startOwnProgram('chaos/naive-worker.ts', {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<unknown>((resolve) => child.once('close', resolve))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return { child, ended, output: () => '' }
}
