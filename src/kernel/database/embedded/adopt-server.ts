import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { LaunchOptions, ServerProcess } from './launch-server.ts'
import { findRunningServer, removePostmasterFile } from './postmaster-file.ts'
import { commandLine, isRunning, type ProcessIdentity } from './process-identity.ts'
import { awaitReady } from './readiness.ts'
import { serverCommand } from './server-command.ts'
import { stopServer } from './stop-server.ts'

const watchMilliseconds = 500

/** Takes over the server a killed Chorus left running when it is the one we would start; stops any other. */
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

/** Another program version or other settings take effect only by a new start. */
async function expectSameCommand(cluster: Cluster, pid: number, port: number, options: LaunchOptions): Promise<void> {
  const [program, args] = serverCommand(cluster, port, options.settings ?? {})
  const actual = await commandLine(pid)
  if (actual !== undefined && actual !== [program, ...args].join(' ')) throw new Error('it was started differently')
}

async function watchEnd(server: ProcessIdentity): Promise<string> {
  while (await isRunning(server)) await sleep(watchMilliseconds, undefined, { ref: false })
  return 'PostgreSQL ended'
}
