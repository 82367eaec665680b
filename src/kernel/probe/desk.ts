import type { Task } from './look.ts'
import { type Looker, LookerDied, startLooker } from './looker.ts'
import type { Probe, ProbeLimits } from './probe.ts'

/** A place where files are opened, one at a time, with the process that does it. */
export interface Desk {
  perform(task: Task, timeoutMs: number): Promise<Probe | Buffer>
  /** Ends the process, and for good: no other is started. */
  close(): Promise<void>
}

/** How long a process without work is kept: it holds a hundred megabytes. */
const restMs = 60_000

export function openDesk(limits: ProbeLimits): Desk {
  let looker: Looker | undefined
  let rest: NodeJS.Timeout | undefined
  let closed = false

  /** The process that is there, or a new one in the place of one that died or has grown. */
  const ready = async (): Promise<Looker> => {
    if (looker?.fit()) return looker
    await looker?.end()
    if (!closed) looker = await startLooker(limits)
    if (closed || !looker) throw new Error('No more files are opened.')
    return looker
  }
  const perform = async (task: Task, timeoutMs: number): Promise<Probe | Buffer> => {
    const used = await ready()
    try {
      return await used.perform(task, timeoutMs)
    } catch (error) {
      // Others may have left the process in the state that it died of.
      if (error instanceof LookerDied && !error.first && !closed) return perform(task, timeoutMs)
      throw error
    }
  }
  return {
    async perform(task, timeoutMs) {
      clearTimeout(rest)
      try {
        return await perform(task, timeoutMs)
      } finally {
        rest = setTimeout(() => void looker?.end(), restMs).unref()
      }
    },
    async close() {
      closed = true
      clearTimeout(rest)
      await looker?.end()
    },
  }
}
