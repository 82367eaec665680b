import { readFileSync } from 'node:fs'
import { memoryOf } from '../memory.ts'

export interface MemoryReport {
  /** In MiB, of all processes that answer together. */
  before: number
  most: number
  after: number
}

/** Watches the memory of a program and of those of its children that run the same program. */
export function watchMemory(pid: number | undefined) {
  const now = () => family(pid).reduce((sum, member) => sum + memoryOf(member), 0)
  const before = now()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, now())
  }, 250)
  return {
    stop(): MemoryReport {
      clearInterval(timer)
      return { before, most, after: now() }
    },
  }
}

function family(pid: number | undefined): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    const same = children.map(Number).filter((child) => commandOf(child).includes('start.mjs'))
    return [pid ?? 0, ...same]
  } catch {
    return [pid ?? 0]
  }
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
