import { readdir } from 'node:fs/promises'
import { platform } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine, identifyProcess, isRunning, type ProcessIdentity, workingFolder } from './process-identity.ts'

const patience = 1_000
const pollMilliseconds = 15

/**
 * Ends what a killed server left behind, for the owner alone, once no server runs: its processes hold the shared memory without
 * which no other server starts. Most of them end by themselves; one that is busy or frozen does not.
 * Where the system does not list processes, the start waits for them instead.
 */
export async function endLeftovers(cluster: string): Promise<void> {
  let left = await findLeftovers(cluster)
  const frozen = performance.now() + patience
  for (let signal: NodeJS.Signals = 'SIGQUIT'; left.length > 0; left = await stillRunning(left)) {
    for (const { pid } of left) send(pid, signal)
    if (performance.now() > frozen) signal = 'SIGKILL'
    if (performance.now() > frozen + patience) return
    await sleep(pollMilliseconds)
  }
}

async function findLeftovers(cluster: string): Promise<ProcessIdentity[]> {
  if (platform !== 'linux') return []
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => ((await serves(pid, cluster)) ? identifyProcess(pid) : undefined)),
  )
  return found.filter((identity) => identity !== undefined)
}

/** Every process of a server has its cluster as the working folder. */
async function serves(pid: number, cluster: string): Promise<boolean> {
  if ((await workingFolder(pid)) !== cluster) return false
  return (await commandLine(pid))?.includes('postgres') ?? false
}

async function stillRunning(processes: ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const running = await Promise.all(processes.map(isRunning))
  return processes.filter((_, index) => running[index])
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
