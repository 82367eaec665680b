import { spawn } from 'node:child_process'
import { cpus, getPriority, setPriority } from 'node:os'

const steps = 15
const lowest = 19

/**
 * Far below the service, for whatever would run on other machines. Counted from this process's own priority, so that on a busy machine
 * the whole run can be put above everything else and the attackers still get their time.
 */
export const lowPriority = () => Math.min(lowest, getPriority() + steps)

/** Keeps every core busy at that priority, as attackers do that run on this machine. */
export function startIdleWork(): () => void {
  const children = cpus().map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  for (const { pid } of children) if (pid) setPriority(pid, lowPriority())
  const end = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', end)
  return () => {
    process.off('exit', end)
    end()
  }
}
