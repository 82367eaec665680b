import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus, getPriority, setPriority } from 'node:os'
import { startBundledProgram } from '../processes.ts'
import type { AnswerCounts, AttackOrder } from './attacker.ts'

const running = new Set<ChildProcess>()

export interface Attack {
  /** Stops the attack and returns the responses. */
  stop(): Promise<AnswerCounts>
}

/** Starts an attack in a process with low priority. */
export async function startAttack(order: AttackOrder): Promise<Attack> {
  const child = await startBundledProgram('chaos/neighbours/attack-process.ts', {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  track(child)
  if (child.pid) lowerPriority(child.pid)
  const nextMessage = () => Promise.race([once(child, 'message'), ended(child)])
  await nextMessage()
  child.send(order)
  await nextMessage()
  return {
    async stop() {
      child.send('stop')
      const [counts] = await nextMessage()
      child.kill('SIGKILL')
      return counts as AnswerCounts
    },
  }
}

/** Kills processes left by a failed run. */
export function endAttacks() {
  for (const child of running) child.kill('SIGKILL')
}

function track(child: ChildProcess) {
  running.add(child)
  child.once('exit', () => running.delete(child))
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`The attackers ended by themselves, with ${code}.`)
}

const steps = 5
const lowest = 19

/**
 * Lowers the priority of a process that emulates other machines. Linux may schedule by
 * session (autogroup), so its priority is lowered as well.
 */
function lowerPriority(pid: number) {
  const priority = Math.min(lowest, getPriority() + steps)
  setPriority(pid, priority)
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority))
  } catch {}
}

/** Keeps every core busy at that priority, like attackers on this machine; stops by itself after a while. */
export function startBackgroundLoad(seconds: number): () => void {
  const script = `const end = Date.now() + ${(seconds + graceSeconds) * 1000}; while (Date.now() < end);`
  const children = cpus().map(() => spawn(process.execPath, ['-e', script], { stdio: 'ignore', detached: true }))
  for (const { pid } of children) if (pid) lowerPriority(pid)
  return () => {
    for (const child of children) child.kill('SIGKILL')
  }
}

const graceSeconds = 60
