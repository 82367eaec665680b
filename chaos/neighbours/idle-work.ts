import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, getPriority, setPriority } from 'node:os'

const steps = 5
const lowest = 19

/**
 * Puts a process that leads a session of its own below this one: it stands for what would run on other machines. Linux may weigh
 * sessions before it weighs processes, so the session goes down as well, where there is such a thing.
 */
export function stepBack(pid: number) {
  const priority = Math.min(lowest, getPriority() + steps)
  setPriority(pid, priority)
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority))
  } catch {}
}

/** Keeps every core busy at that priority, as attackers do that run on this machine; ends by itself should nobody end it. */
export function startIdleWork(seconds: number): () => void {
  const script = `const end = Date.now() + ${(seconds + graceSeconds) * 1000}; while (Date.now() < end);`
  const children = cpus().map(() => spawn(process.execPath, ['-e', script], { stdio: 'ignore', detached: true }))
  for (const { pid } of children) if (pid) stepBack(pid)
  return () => {
    for (const child of children) child.kill('SIGKILL')
  }
}

const graceSeconds = 60
