import type { Clock } from '../../clock.ts'

/** How often one session may call: apart from the limits of API keys, and never with their block. */
export interface SessionLimits {
  readonly policy: string
  /** Counts a call; gives after how many seconds the next one is possible if this one is not. */
  admit(sessionId: string): number | undefined
}

const calls = 120
const windowMs = 10_000
const remembered = 10_000

/** When the last calls were, in a ring. */
interface Track {
  readonly times: Float64Array
  next: number
}

/** Each process counts for itself: a browser keeps its few connections, and the figure is there to stop runaway pages. */
export function openSessionLimits(clock: Clock): SessionLimits {
  const tracks = new Map<string, Track>()
  const trackOf = (sessionId: string): Track => {
    const track = tracks.get(sessionId) ?? { times: new Float64Array(calls), next: 0 }
    // Whoever called last is forgotten last.
    tracks.delete(sessionId)
    if (tracks.size >= remembered) tracks.delete(tracks.keys().next().value ?? '')
    tracks.set(sessionId, track)
    return track
  }
  return {
    policy: `"session";q=${calls};w=${windowMs / 1000}`,
    admit(sessionId) {
      const now = clock.now().getTime()
      const track = trackOf(sessionId)
      const oldest = track.times[track.next] ?? 0
      const left = oldest + windowMs - now
      // A clock that was set back must not keep anybody out.
      if (left > 0 && left <= windowMs) return Math.ceil(left / 1000)
      track.times[track.next] = now
      track.next = (track.next + 1) % calls
      return undefined
    },
  }
}
