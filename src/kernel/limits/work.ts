import type { Caller } from './caller.ts'
import { beatInterval, type Counting, lease, mayDecideAlone } from './counting.ts'
import type { Standing } from './rules.ts'
import { step } from './step.ts'

/** How long a process waits, in real time, before it asks the others again. */
const patience = beatInterval / 4
/** After so many rounds whoever is silent has lost its lease. */
const rounds = lease / patience

/** Answers a call that cannot be answered from memory. */
export function answerLater(counting: Counting, caller: Caller, at: number): Promise<Standing> {
  return new Promise((resolve, reject) => {
    caller.waiting.push({ at, resolve, reject })
    startWork(counting, caller)
  })
}

/** Does what is due for the user in the background; failures go to the waiting calls, or are reported. */
export function startWork(counting: Counting, caller: Caller) {
  if (caller.working) return
  caller.working = true
  const done: Promise<void> = work(counting, caller).finally(() => counting.works.delete(done))
  counting.works.add(done)
}

async function work(counting: Counting, caller: Caller) {
  let asked = 0
  let remind = true
  try {
    while (caller.waiting.length > 0 || caller.must !== 'nothing') {
      await renewLease(counting)
      const { handedIn } = caller
      const outcome = await step(counting, caller, { remind, impatient: asked >= rounds })
      remind = outcome === 'waiting' && caller.waiting.length > 0 && !(await isWoken(caller, handedIn))
      asked = outcome === 'waiting' ? asked + Number(remind) : 0
    }
  } catch (error) {
    const calls = caller.waiting.splice(0)
    if (calls.length === 0) counting.report(error)
    for (const { reject } of calls) reject(error)
  } finally {
    caller.working = false
  }
}

/** After a pause longer than the lease one beat is cheaper than sharing the user for ten seconds. */
async function renewLease({ self, clock, beat }: Counting) {
  const inVain = self.closed || self.deaf || !self.accepted
  if (!inVain && !mayDecideAlone(self, clock.now().getTime())) await beat()
}

/** Whether somebody handed in calls before patience ran out. */
function isWoken(caller: Caller, handedIn: number): Promise<boolean> | boolean {
  if (caller.handedIn !== handedIn) return true
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patience)
    caller.wake = () => {
      clearTimeout(timer)
      resolve(true)
    }
  })
}
