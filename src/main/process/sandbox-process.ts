import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxProgram } from '../project.ts'
import type { Settings } from '../settings/settings.ts'

export interface SandboxProcess {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

const restartDelay = 1_000
/** How often somebody outside does something while the demo runs. */
const passersBySeconds = 150

/** The sandbox networks, in a process of their own: they are no part of the service. One that dies is replaced. */
export async function startSandbox({ sandboxPort, sandboxToken, dataDir }: Settings): Promise<SandboxProcess> {
  let stopping = false
  const run = async (port: number) => {
    const child = forkSandbox(port, sandboxToken, join(dataDir, 'sandbox'))
    const url = await listening(child, port)
    child.once('exit', async () => {
      if (stopping) return
      process.stderr.write('The sandbox networks ended; starting them again.\n')
      await sleep(restartDelay)
      if (stopping) return
      run(Number(new URL(url).port)).then(
        (started) => {
          current = started
        },
        ({ message }) => process.stderr.write(`${message}\n`),
      )
    })
    return { child, url }
  }
  let current = await run(sandboxPort)
  return {
    url: current.url,
    port: Number(new URL(current.url).port),
    async stop() {
      stopping = true
      const { child } = current
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

const forkSandbox = (port: number, token: string, data: string) =>
  fork(
    sandboxProgram,
    ['--port', String(port), '--data', data, '--history', '--passers-by', String(passersBySeconds)],
    {
      env: { CHORUS_SANDBOX_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C reaches every process of the terminal; the service ends this one when it has ended itself.
      detached: true,
    },
  )

function listening(child: ChildProcess, port: number): Promise<string> {
  let said = ''
  // An error shows the lines of the program, this sentence among them: only what is said on purpose counts.
  let complained = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      said += data
      const url = /Sandbox networks on (\S+)/.exec(said)?.[1]
      if (url) resolve(url)
    })
    child.stderr?.on('data', (data: Buffer) => {
      complained += data
    })
    child.once('exit', () => {
      const reason = /Error: (.*)/.exec(complained)?.[1] ?? complained.trim()
      reject(
        new Error(
          `The sandbox networks could not start on port ${port}: ${reason} Set CHORUS_SANDBOX_PORT to another port.`,
        ),
      )
    })
  })
}
