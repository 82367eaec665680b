/** The sandbox clock: the given clock plus the offset set through the control plane. */
export class SandboxClock {
  offsetMs = 0
  private readonly base: () => number

  constructor(base: () => number) {
    this.base = base
  }

  now(): number {
    return this.base() + this.offsetMs
  }

  advance(milliseconds: number) {
    this.offsetMs += milliseconds
  }

  set(time: number) {
    this.offsetMs = time - this.base()
  }
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
