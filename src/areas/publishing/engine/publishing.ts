import type { ProfileWorld } from '#areas/profiles/access/profile-row.ts'
import type { Log } from '#kernel/log.ts'
import type { PublishingRules } from './publishing-rules.ts'
import type { Together } from './together.ts'

/** Where a send has come to, for whoever watches: each is told right after it is true. */
export type Moment = 'taken' | 'intended' | 'answered' | 'completed'

export type Watch = (moment: Moment, send: { postId: string; credentialId: string }) => void

/** What this process publishes with, for as long as its lease lasts. */
export interface Publishing {
  world: ProfileWorld
  /** The name under which it holds profiles. */
  worker: string
  rules: PublishingRules
  together: Together
  watch: Watch
  log: Log
  stopping: () => boolean
  /** Whether profiles may wait because so many are served. */
  isCrowded: () => boolean
}
