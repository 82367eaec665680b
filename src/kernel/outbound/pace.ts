/** A transfer that brings less than this in a window is given up. */
export interface PaceRule {
  bytesPerSecond: number
  windowMs: number
}

export const usualPace: PaceRule = { bytesPerSecond: 16 * 1024, windowMs: 30_000 }

export interface Pace {
  /** So much has come. */
  count(bytes: number): void
  /** Nobody waits for bytes until `resume`: whoever reads is busy with those it has. */
  pause(): void
  resume(): void
  stop(): void
}

/** Watches a transfer from its beginning; what the reader takes for itself is not held against the source. */
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
  const look = () => {
    rest()
    const waitedMs = windowMs - busyMs
    if (waitedMs > windowMs / 2 && received < (bytesPerSecond * waitedMs) / 1_000) giveUp()
    received = 0
    busyMs = 0
  }
  const timer = setInterval(look, windowMs)
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
