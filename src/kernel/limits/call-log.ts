import { fiveSecondWindow, secondWindow } from './rules.ts'

/**
 * When one user's latest calls were admitted here: a ring that grows with use.
 * Positions only ever rise; an entry's slot is its position modulo the ring's length, a power of two.
 */
export interface CallLog {
  times: Float64Array
  oldest: number
  /** The first entry inside each window. */
  fiveSeconds: number
  second: number
  end: number
  /** Entries before this position stand in the shared row as well. */
  written: number
}

/** Longer than the windows, because another process may ask for the calls around a call of a moment ago. */
export const retention = 2 * fiveSecondWindow

export function newLog(): CallLog {
  return { times: new Float64Array(8), oldest: 0, fiveSeconds: 0, second: 0, end: 0, written: 0 }
}

/** Moves the windows on, so that they end at the given time. */
export function moveTo(log: CallLog, time: number) {
  const { times, end } = log
  const mask = times.length - 1
  let { oldest, fiveSeconds, second } = log
  while (second < end && times[second & mask]! <= time - secondWindow) second++
  while (fiveSeconds < end && times[fiveSeconds & mask]! <= time - fiveSecondWindow) fiveSeconds++
  while (oldest < end && times[oldest & mask]! <= time - retention) oldest++
  log.second = second
  log.fiveSeconds = fiveSeconds
  log.oldest = oldest
}

/** Clocks may step back by a hair; the order of the ring may not. */
export function append(log: CallLog, time: number) {
  if (log.end - log.oldest === log.times.length) grow(log)
  const mask = log.times.length - 1
  const last = log.end > log.oldest ? log.times[(log.end - 1) & mask]! : time
  log.times[log.end & mask] = time < last ? last : time
  log.end++
}

export function inSecond(log: CallLog): number {
  return log.end - log.second
}

export function inFiveSeconds(log: CallLog): number {
  return log.end - log.fiveSeconds
}

/** The calls that only this process knows of. */
export function unwritten(log: CallLog): number[] {
  const mask = log.times.length - 1
  const calls: number[] = []
  for (let position = Math.max(log.oldest, log.written); position < log.end; position++) {
    calls.push(log.times[position & mask]!)
  }
  return calls
}

function grow(log: CallLog) {
  const { times, oldest, end } = log
  const larger = new Float64Array(times.length * 2)
  for (let position = oldest; position < end; position++) {
    larger[position & (larger.length - 1)] = times[position & (times.length - 1)]!
  }
  log.times = larger
}
