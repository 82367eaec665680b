import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { startOwnProgram } from '../programs.ts'
import { stepBack } from './idle-work.ts'
import type { AnswerCounts, AttackOrder } from './targets.ts'

const running = new Set<ChildProcess>()

export interface Attack {
  /** Ends it at once and tells what was answered. */
  stop(): Promise<AnswerCounts>
}

/** Begins an attack in a process of the lowest priority. */
export async function startAttack(order: AttackOrder): Promise<Attack> {
  const child = await startOwnProgram('chaos/neighbours/attack-process.ts', {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  track(child)
  if (child.pid) stepBack(child.pid)
  const said = () => Promise.race([once(child, 'message'), ended(child)])
  await said()
  child.send(order)
  await said()
  return {
    async stop() {
      child.send('stop')
      const [counts] = await said()
      child.kill('SIGKILL')
      return counts as AnswerCounts
    },
  }
}

/** Ends what a failed run has left. */
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
