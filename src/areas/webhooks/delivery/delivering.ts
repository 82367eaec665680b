import type { Installation } from '#kernel/installation.ts'
import type { Pace, Places } from './pace.ts'
import type { Recorder } from './recorder.ts'

/** What this process delivers with, for as long as its lease lasts. */
export interface Delivering {
  installation: Installation
  /** The name under which it holds webhooks. */
  worker: string
  places: Places
  recorder: Recorder
  /** Milliseconds between attempts. */
  waits: readonly number[]
  /** What it calls itself. */
  agent: string
  stopping: () => boolean
  /** Whether webhooks may wait because so many are served. */
  isCrowded: (pace: Pace) => boolean
}
