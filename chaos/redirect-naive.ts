import { startOwnProgram } from './programs.ts'
import type { Redirector } from './redirect-kills.ts'
import type { RedirectPlace } from './redirect-place.ts'

/** Starts the control in place of the product's redirector. */
export async function startNaiveRedirector({ environment }: RedirectPlace): Promise<Redirector> {
  const child = await startOwnProgram('chaos/redirect-naive-process.ts', {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<unknown>((resolve) => child.once('close', resolve))
  const printed = await new Promise<Buffer>((resolve) => child.stdout?.once('data', resolve))
  const port = /listening (\d+)/.exec(String(printed))?.[1]
  return { child, ended, url: `http://127.0.0.1:${port}/l` }
}
