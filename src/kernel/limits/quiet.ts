import { append, inFiveSeconds, inSecond, moveTo } from './call-log.ts'
import { type Caller, startDay } from './caller.ts'
import { type Counting, mayDecideAlone } from './counting.ts'
import { admitted, isBlocked, refused, type Standing } from './rules.ts'

/** Refuses from memory what the row would refuse: a block, or a day's count that can only have grown since. */
export function refuseAtOnce({ rules }: Counting, caller: Caller, at: number): Standing | undefined {
  startDay(caller, at)
  if (isBlocked(caller, at, rules))
    return refused('block', remaining(caller, rules.day), at, caller.day, caller.blockedUntil)
  if (caller.known >= rules.day) return refused('day', 0, at, caller.day, 0)
}

/** Admits a call within this process's own part of the limits. Never refuses: beyond that part the row decides. */
export function admitAtOnce(counting: Counting, caller: Caller, at: number, now = at): Standing | undefined {
  const { self, rules } = counting
  if (!caller.loaded || caller.must !== 'nothing' || caller.sharedUntil !== 0) return undefined
  if (!mayDecideAlone(self, now)) return undefined
  const { log } = caller
  moveTo(log, at)
  if (inSecond(log) >= self.second || inFiveSeconds(log) >= self.fiveSeconds) return undefined
  if (!dayHasRoom(caller, self.processes, rules.day)) return undefined
  append(log, at)
  caller.unflushed++
  if (!caller.dirty) {
    caller.dirty = true
    counting.dirty.push(caller)
  }
  return admitted(remaining(caller, rules.day), at, caller.day)
}

/** Whether the user has called more often here than this process's part of the limits. */
export function exceedsPart({ self, rules }: Counting, caller: Caller, now: number): boolean {
  startDay(caller, now)
  moveTo(caller.log, now)
  if (inSecond(caller.log) > self.second || inFiveSeconds(caller.log) > self.fiveSeconds) return true
  return caller.unflushed + caller.flushing > dayPart(caller, self.processes, rules.day)
}

/**
 * Of what was left when all agreed last, one half is used freely and the other half covers what each process has not
 * yet told the row: once the row has passed the middle, every process can add its own part of that half once, no more.
 */
function dayHasRoom(caller: Caller, processes: number, limit: number): boolean {
  const untold = caller.unflushed + caller.flushing
  if (caller.known + untold >= caller.base + (limit - caller.base) / 2) return false
  return untold + 1 <= dayPart(caller, processes, limit)
}

function dayPart({ base }: Caller, processes: number, limit: number): number {
  return (limit - base) / (2 * processes)
}

function remaining(caller: Caller, limit: number): number {
  return Math.max(0, limit - caller.known - caller.unflushed - caller.flushing)
}
