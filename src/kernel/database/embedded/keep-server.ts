import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, serverCommand } from './cluster.ts'
import { commandLine, isRunning, type ProcessIdentity } from './process-identity.ts'
import {
  awaitReady,
  findRunningServer,
  type LaunchOptions,
  launchServer,
  logTail,
  removePostmasterFile,
  type ServerProcess,
  stopServer,
} from './server-process.ts'

export interface KeepOptions extends LaunchOptions {
  /** Receives a line about each step that may take time or be unexpected. */
  report: (line: string) => void
  /** Receives problems and their resolution. */
  alarm: (line: string) => void
  /** Milliseconds without a server after which no further start is attempted. */
  patience: number
}

export interface KeptServer {
  /** The running server, or the last one that ran. */
  current(): ServerProcess
  /** Resolves with the reason when the server exited and can't be restarted. */
  readonly lost: Promise<string>
  /** Resolves when the server has stopped and will not be restarted. */
  stop(): Promise<void>
}

/** Delays before successive restarts after a server that ran well; the last one repeats. */
const waits = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]
/** A server that ran this long resets the delays. */
const steadyMilliseconds = 5_000

/** Restarts the server on the same port whenever it exits without being asked to. */
export function keepServer(cluster: Cluster, first: ServerProcess, options: KeepOptions): KeptServer {
  const { alarm, report, patience } = options
  const stopping = new AbortController()
  let server = first
  let deaths = 0
  /** Settled while a server runs. */
  let restarting: Promise<unknown> = Promise.resolve()

  const keep = async (): Promise<string | undefined> => {
    for (;;) {
      const began = performance.now()
      const how = await server.ended
      if (stopping.signal.aborted) return undefined
      if (performance.now() - began > steadyMilliseconds) deaths = 0
      const trying = restart(how)
      restarting = trying
      const failure = await trying
      if (failure !== undefined || stopping.signal.aborted) return failure
    }
  }

  /** Returns the reason when further attempts are pointless. */
  const restart = async (how: string): Promise<string | undefined> => {
    const down = performance.now()
    let reason = await withLog(cluster, how)
    for (;;) {
      const wait = waits[Math.min(deaths, waits.length - 1)] ?? 0
      deaths++
      alarm(`${reason}\nPostgreSQL is started again${wait > 0 ? ` in ${wait} ms` : ''}`)
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return undefined
      try {
        await removePostmasterFile(cluster.folder)
        server = await launchServer(cluster, { ...options, port: server.port, signal: stopping.signal }, report)
        alarm(`PostgreSQL is back after ${Math.round(performance.now() - down)} ms (pid ${server.identity.pid})`)
        return undefined
      } catch (error) {
        if (stopping.signal.aborted) return undefined
        reason = (error as Error).message
        if (performance.now() - down > patience) return `PostgreSQL cannot be started any more: ${reason}`
      }
    }
  }

  const outcome = keep()
  return {
    current: () => server,
    lost: new Promise((resolve) => outcome.then((failure) => failure !== undefined && resolve(failure))),
    async stop() {
      stopping.abort()
      await restarting
      await stopServer(cluster, server.identity)
    },
  }
}

async function withLog(cluster: Cluster, how: string): Promise<string> {
  const tail = await logTail(cluster.log).catch((error: Error) => error.message)
  return `${how}\nthe end of ${cluster.log}:\n${tail}`
}

const watchMilliseconds = 500

/** Takes over the server left running by a killed Chorus process if its command matches ours; stops any other. */
export async function adoptServer(
  cluster: Cluster,
  options: LaunchOptions,
  report: (line: string) => void,
): Promise<ServerProcess | undefined> {
  const running = await findRunningServer(cluster.folder)
  if (!running) {
    await removePostmasterFile(cluster.folder)
    return undefined
  }
  const { identity, note } = running
  try {
    await expectSameCommand(cluster, identity.pid, options.port ?? note.port, options)
    await awaitReady(cluster, identity, note.port, report)
    report(`taking over the PostgreSQL left running (pid ${identity.pid})`)
    return { identity, port: note.port, ended: watchEnd(identity) }
  } catch (error) {
    report(`stopping the PostgreSQL left running (pid ${identity.pid}): ${(error as Error).message}`)
    await stopServer(cluster, identity)
    if (!(await isRunning(identity))) await removePostmasterFile(cluster.folder)
    return undefined
  }
}

/** Another program version or other settings take effect only after a restart. */
async function expectSameCommand(cluster: Cluster, pid: number, port: number, options: LaunchOptions): Promise<void> {
  const [program, args] = serverCommand(cluster, port, options.settings ?? {})
  const actual = await commandLine(pid)
  if (actual !== undefined && actual !== [program, ...args].join(' ')) throw new Error('it was started differently')
}

async function watchEnd(server: ProcessIdentity): Promise<string> {
  while (await isRunning(server)) await sleep(watchMilliseconds, undefined, { ref: false })
  return 'PostgreSQL ended'
}
