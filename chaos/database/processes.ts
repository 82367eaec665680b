import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** The process of the server on this data directory that all its others belong to. */
export const serverOn = async (directory: string) =>
  Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0])

/** Every process of that server. */
export async function processesOn(directory: string): Promise<number[]> {
  const home = await realpath(directory)
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => folders[index] === home).map(Number)
}

export function signal(pids: readonly number[], name: NodeJS.Signals) {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended meanwhile.
    }
  }
}
