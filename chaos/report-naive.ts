import { startOwnProgram } from './programs.ts'
import type { RedirectPlace } from './redirect-place.ts'
import type { Counter } from './report-kills.ts'

/** Starts the control in place of the product's worker. */
export async function startNaiveCounter({ environment }: RedirectPlace): Promise<Counter> {
  const child = await startOwnProgram('chaos/report-naive-process.ts', {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<unknown>((resolve) => child.once('close', resolve))
  await new Promise<Buffer>((resolve) => child.stdout?.once('data', resolve))
  return { child, ended }
}
