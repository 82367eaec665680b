import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { RunningService } from './service-inside.ts'
import type { Order } from './service-process.ts'

/** A process of the service, as the harness holds it. */
export interface ServiceChild extends RunningService {
  readonly child: ChildProcess
  /** Resolves with the signal that ended it, if one did. */
  readonly ended: Promise<NodeJS.Signals | null>
  tell(order: Order): Promise<void>
}

const running = new Set<ChildProcess>()

/** Starts a program built by `buildPrograms` and waits until it says where it listens; what it prints is printed unless somebody hears it. */
export async function startChild(
  program: string,
  environment: Record<string, string>,
  heard?: (data: Buffer) => void,
): Promise<ServiceChild> {
  const printed = heard ? 'pipe' : 'inherit'
  const child = fork(program, [], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', printed, printed, 'ipc'],
  })
  if (heard) for (const stream of [child.stdout, child.stderr]) stream?.on('data', heard)
  const ended = track(child)
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', ({ url }: { url: string }) => resolve(url))
    child.once('exit', (code) => reject(new Error(`The process ended with ${code} while it started.`)))
  })
  return {
    url,
    child,
    ended,
    tell: (order) =>
      new Promise<void>((resolve) => {
        if (!child.connected) return resolve()
        const heard = () => resolve()
        child.once('message', heard)
        child.once('exit', heard)
        // One that has just died hears nothing.
        child.send(order, () => {})
        return undefined
      }),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Starts the sandbox networks and gives their address. */
export async function startNetworks(program: string, latency: [from: number, to: number]) {
  const child = fork(program, ['--port', '0', '--limit-factor', '100000', '--latency', latency.join('-')], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = track(child)
  // The real ones run on other machines: what they need must not be taken from the service.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      said += data
      const found = /Sandbox networks on (\S+)/.exec(said)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', () => reject(new Error(`The sandbox networks ended: ${said}`)))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Ends what a failed run has left. */
export function endChildren() {
  for (const child of running) child.kill('SIGKILL')
}

function track(child: ChildProcess): Promise<NodeJS.Signals | null> {
  running.add(child)
  return new Promise((resolve) =>
    child.once('exit', (_, signal) => {
      running.delete(child)
      resolve(signal)
    }),
  )
}
