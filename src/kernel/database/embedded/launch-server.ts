import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { endLeftovers } from './leftovers.ts'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { awaitReady } from './readiness.ts'
import { type Settings, serverCommand } from './server-command.ts'
import { logSize, logTail, openLog } from './server-log.ts'
import { stopServer } from './stop-server.ts'
import { runAs } from './system-user.ts'

export interface ServerProcess {
  readonly identity: ProcessIdentity
  readonly port: number
  /** Resolves, saying how, when the process is gone for whatever reason. */
  readonly ended: Promise<string>
}

export interface LaunchOptions {
  readonly port?: number
  readonly settings?: Settings
  /** Ends the attempt. */
  readonly signal?: AbortSignal
}

const attempts = 20
const pauseMilliseconds = 250

/** Starts a server on the cluster, where none may run, and resolves when it answers. */
export async function launchServer(
  cluster: Cluster,
  options: LaunchOptions,
  report: (line: string) => void,
): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt++) {
    await endLeftovers(cluster.folder)
    const port = options.port ?? (await findFreePort())
    const log = await openLog(cluster.log)
    const logBegin = await logSize(cluster.log)
    try {
      return await launchOnce(cluster, port, options, log.fd, report)
    } catch (error) {
      const tail = await logTail(cluster.log, logBegin)
      if (attempt === attempts || options.signal?.aborted || !mayPass(tail, options.port)) {
        throw new Error(`${(error as Error).message}\nthe end of ${cluster.log}:\n${tail}`, { cause: error })
      }
      await sleep(pauseMilliseconds)
    } finally {
      await log.close()
    }
  }
}

async function findFreePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

async function launchOnce(
  cluster: Cluster,
  port: number,
  { settings = {}, signal }: LaunchOptions,
  log: number,
  report: (line: string) => void,
): Promise<ServerProcess> {
  const [program, args] = serverCommand(cluster, port, settings)
  // In a session of its own, Ctrl-C at the terminal does not end the server before we have let go of it.
  const child = spawn(program, args, {
    ...runAs(cluster.user, dirname(cluster.folder)),
    detached: true,
    stdio: ['ignore', log, log],
  })
  const ended = describeEnd(child)
  const identity = child.pid === undefined ? undefined : await identifyProcess(child.pid)
  if (!identity) throw new Error(await ended)
  try {
    await awaitReady(cluster, identity, port, report, signal)
  } catch (error) {
    await stopServer(cluster, identity)
    throw error
  }
  child.unref()
  return { identity, port, ended }
}

function describeEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`PostgreSQL cannot be started: ${error.message}`))
    child.once('exit', (code, signal) => resolve(`PostgreSQL ended by ${signal ?? `itself with code ${code}`}`))
  })
}

/** Somebody took the free port first, or processes of a crashed server still leave. */
function mayPass(log: string, fixedPort: number | undefined): boolean {
  return log.includes('pre-existing shared memory block') || (!fixedPort && log.includes('could not bind'))
}
