import type { Probe } from './probe.ts'

/** What the process says first. */
export const readyWord = 'ready'

/** How a task ended, and how much memory the process is left with. */
export type Reply = { rss: number } & (
  | { result: Probe | Buffer }
  /** The file's fault, as a sentence for the user. */
  | { refused: string }
  /** Ours, such as a file that is not there. */
  | { failed: string }
)
