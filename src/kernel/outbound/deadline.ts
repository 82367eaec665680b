import { OutboundFailure } from './failure.ts'

type Listener = (reason: OutboundFailure) => void

/**
 * One deadline for a whole exchange: DNS, queueing, connecting, and every byte of the response. A class that creates an AbortController
 * only on demand: one is made for every call, and its overhead must stay below the cost of a short call.
 */
export class Deadline {
  /** Why the exchange was ended early; undefined while it may continue. */
  reason: OutboundFailure | undefined
  /** Part of the request may have been sent. */
  sent = false
  private readonly timer: NodeJS.Timeout
  private readonly caller: AbortSignal | undefined
  private readonly host: string
  private listeners: Listener[] = []
  private controller: AbortController | undefined

  constructor(milliseconds: number, host: string, caller?: AbortSignal) {
    this.host = host
    this.caller = caller
    this.timer = setTimeout(tooLate, milliseconds, this, milliseconds)
    if (caller?.aborted) this.giveUp()
    else caller?.addEventListener('abort', this.giveUp, { once: true })
  }

  /** Calls back once, on timeout or abort. */
  onEnd(listener: Listener) {
    if (this.reason) listener(this.reason)
    else this.listeners.push(listener)
  }

  removeListener(listener: Listener) {
    const index = this.listeners.indexOf(listener)
    if (index >= 0) this.listeners.splice(index, 1)
  }

  /** The same as an AbortSignal. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.reason) this.controller.abort(this.reason)
    return this.controller.signal
  }

  /** Ends the exchange with this reason. */
  abort(reason: OutboundFailure) {
    if (this.reason) return
    this.reason = reason
    this.controller?.abort(reason)
    for (const listener of this.listeners.splice(0)) listener(reason)
  }

  /** Awaits a promise that can't be aborted itself. */
  race<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.onEnd(reject)
      promise.then(resolve, reject).finally(() => this.removeListener(reject))
    })
  }

  clear() {
    clearTimeout(this.timer)
    this.caller?.removeEventListener('abort', this.giveUp)
  }

  private readonly giveUp = () => this.abort(new OutboundFailure('aborted', `The call to ${this.host} was given up.`))

  late(milliseconds: number) {
    const sentence = `${this.host} did not answer completely within ${milliseconds / 1_000} seconds.`
    this.abort(new OutboundFailure('timeout', sentence))
  }
}

const tooLate = (deadline: Deadline, milliseconds: number) => deadline.late(milliseconds)

export interface Limiter {
  /** Waits for a slot; undefined if one is free. */
  take(deadline: Deadline): Promise<void> | undefined
  release(): void
}

/** Limits concurrency; waiting callers are served in order. */
export function limiter(maximum: number): Limiter {
  let taken = 0
  const waiting = new Set<() => void>()
  return {
    take(deadline) {
      if (deadline.reason) throw deadline.reason
      if (taken >= maximum) return waitForSlot(waiting, deadline)
      taken += 1
      return undefined
    },
    release() {
      const [next] = waiting
      if (next === undefined) taken -= 1
      else next()
    },
  }
}

function waitForSlot(waiting: Set<() => void>, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      waiting.delete(start)
      reject(reason)
    }
    const start = () => {
      waiting.delete(start)
      deadline.removeListener(giveUp)
      resolve()
    }
    waiting.add(start)
    deadline.onEnd(giveUp)
  })
}

/** A transfer that receives less than this in a window is aborted. */
export interface PaceRule {
  bytesPerSecond: number
  windowMs: number
}

export const usualPace: PaceRule = { bytesPerSecond: 16 * 1024, windowMs: 30_000 }

export interface Pace {
  /** Adds received bytes. */
  count(bytes: number): void
  /** Stops the clock until `resume`, while the reader is busy with received data. */
  pause(): void
  resume(): void
  stop(): void
}

/** Monitors a transfer from its start; time spent by the reader doesn't count against the source. */
export function watchPace({ bytesPerSecond, windowMs }: PaceRule, giveUp: () => void): Pace {
  let received = 0
  let busyMs = 0
  let busySince: number | undefined
  const rest = () => {
    if (busySince === undefined) return
    const now = performance.now()
    busyMs += now - busySince
    busySince = now
  }
  const checkRate = () => {
    rest()
    const waitedMs = windowMs - busyMs
    if (waitedMs > windowMs / 2 && received < (bytesPerSecond * waitedMs) / 1_000) giveUp()
    received = 0
    busyMs = 0
  }
  const timer = setInterval(checkRate, windowMs)
  return {
    count(bytes) {
      received += bytes
    },
    pause() {
      busySince = performance.now()
    },
    resume() {
      rest()
      busySince = undefined
    },
    stop: () => clearInterval(timer),
  }
}
