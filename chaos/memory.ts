import { readFileSync } from 'node:fs'

/** Resident memory of a process in MiB; on systems without /proc nothing is known and 0 is given. */
export function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  } catch {
    return 0
  }
}
