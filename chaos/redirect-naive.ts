import { spawn } from 'node:child_process'
import type { Redirector } from './redirect-kills.ts'
import type { RedirectPlace } from './redirect-place.ts'

/** Starts the control in place of the product's redirector. */
export async function startNaiveRedirector({ environment }: RedirectPlace): Promise<Redirector> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'chaos/redirect-naive-process.ts'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = await new Promise<Buffer>((resolve) => child.stdout?.once('data', resolve))
  const port = /listening (\d+)/.exec(String(printed))?.[1]
  const program = { child, ended, output: () => '', printed: async () => '' }
  return { program, url: `http://127.0.0.1:${port}/l` }
}
