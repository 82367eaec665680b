import { addCaller, type Caller, everyCaller, findCaller } from './caller.ts'
import type { Counting } from './counting.ts'
import { hearBeat } from './heartbeat.ts'
import { distrust } from './membership.ts'
import type { Message } from './messages.ts'
import { startWork } from './work.ts'

/** Acts on what another process told; without a payload, on having missed something. */
export function hear(counting: Counting, payload: string | undefined, learnProcesses: () => Promise<void>) {
  if (payload === undefined) return distrust(counting)
  const { self, callers, report } = counting
  const message = read(payload)
  if (!message) return
  const own = message.from === self.id
  if (message.kind === 'beat') {
    if (own) hearBeat(counting, message.number, message.begun)
  } else if (own) {
    return
  } else if (message.kind === 'share') {
    if (!self.closed) handIn(counting, message)
  } else if ('userId' in message) {
    const caller = findCaller(callers, message.accountId, message.userId)
    if (!caller) return
    if (message.kind === 'blocked') caller.blockedUntil = Math.max(caller.blockedUntil, message.until)
    wake(caller)
  } else {
    if (message.kind === 'closed') for (const caller of everyCaller(callers)) wake(caller)
    if (!self.closed) learnProcesses().catch(report)
  }
}

/** Anybody who may use the database may say anything on the channel. */
function read(payload: string): Message | undefined {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** From here on this process decides nothing about the user by itself. One that never saw the user says so as well. */
function handIn(counting: Counting, { accountId, userId }: { accountId: string; userId: string }) {
  const { callers, clock } = counting
  const caller = findCaller(callers, accountId, userId) ?? addCaller(callers, accountId, userId, clock.now().getTime())
  if (caller.must === 'nothing') caller.must = 'look'
  startWork(counting, caller)
}

function wake(caller: Caller) {
  caller.handedIn++
  caller.wake()
}
