import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second. */
const tick = 1 / 100

/** Processor time in seconds of a process and its threads; NaN on systems without /proc. */
export const processorTimeOf = (pid: number | undefined): number => timesOf(pid).own

/** Processor time in seconds of a process, its children and the children that have ended: of a whole PostgreSQL server, given its first process. */
export function processorTimeOfAll(pid: number): number {
  const { own, ended } = timesOf(pid)
  return childrenOf(pid).reduce((sum, child) => sum + timesOf(child).own, own + ended)
}

/** A process and its descendants. */
export const processTree = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(processTree)]

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks).flatMap((task) =>
      readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

function timesOf(pid: number | undefined): { own: number; ended: number } {
  try {
    // The name, in parentheses, may contain spaces; user time is the twelfth field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { own: (user + system) * tick, ended: (endedUser + endedSystem) * tick }
  } catch {
    return { own: Number.NaN, ended: Number.NaN }
  }
}
