import { type Counting, lease } from './counting.ts'
import { showLife } from './membership.ts'
import { tell } from './messages.ts'

/** Shows the others that this process lives, learns who they are and renews the lease. */
export async function showAndListen(counting: Counting, learnProcesses: () => Promise<void>) {
  const { self, clock, report } = counting
  const begun = clock.now().getTime()
  try {
    await showLife(counting)
    self.cutOff = false
  } catch (error) {
    self.cutOff = true
    return report(error)
  }
  try {
    await learnProcesses()
    self.deaf = !(await isHeard(counting, begun, 500))
  } catch (error) {
    report(error)
  }
}

/** Whether a beat comes back within so many milliseconds of real time. */
export async function isHeard({ self, database }: Counting, begun: number, milliseconds: number): Promise<boolean> {
  const number = ++self.beatNumber
  const heard = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    self.onBeat = (which) => {
      if (which < number) return
      clearTimeout(timer)
      resolve(true)
    }
  })
  await tell(database.shared, { kind: 'beat', from: self.id, number, begun })
  return heard
}

/**
 * Notifications arrive in the order of their commits: a process that hears its own beat has heard everything told
 * before it, and may decide by itself for the length of the lease.
 */
export function hearBeat({ self }: Counting, number: number, begun: number) {
  if (self.accepted && number > self.beatFloor) self.leaseUntil = Math.max(self.leaseUntil, begun + lease)
  self.deaf = false
  self.onBeat(number)
}
