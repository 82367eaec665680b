import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Cluster } from './cluster.ts'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

const pollMilliseconds = 15

/** Fast shutdown first; then immediate, which the next start repairs; the last for one that obeys no more. */
const steps = [
  { signal: 'SIGINT', seconds: 8 },
  { signal: 'SIGQUIT', seconds: 8 },
  { signal: 'SIGKILL', seconds: 5 },
] as const

/** Resolves when the server is gone, at once when it is gone already. */
export async function stopServer(cluster: Cluster, server: ProcessIdentity): Promise<void> {
  if (process.platform === 'win32') return stopByPgCtl(cluster)
  for (const { signal, seconds } of steps) {
    if (!(await isRunning(server))) return
    sendSignal(server.pid, signal)
    if (await endsWithin(server, seconds)) return
  }
  throw new Error(`PostgreSQL (pid ${server.pid}) does not end; end it by hand before the next start`)
}

/** Windows has no signals a process could handle; pg_ctl knows PostgreSQL's own way and fails when nothing runs. */
async function stopByPgCtl(cluster: Cluster): Promise<void> {
  const args = ['stop', '-D', cluster.folder, '-t', '8', '-m']
  const run = (mode: string) => promisify(execFile)(cluster.binaries.pgCtl, [...args, mode], { windowsHide: true })
  await run('fast').catch(() => run('immediate').catch(() => {}))
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function endsWithin(server: ProcessIdentity, seconds: number): Promise<boolean> {
  const limit = performance.now() + seconds * 1000
  while (await isRunning(server)) {
    if (performance.now() > limit) return false
    await sleep(pollMilliseconds)
  }
  return true
}
