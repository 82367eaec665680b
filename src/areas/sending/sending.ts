import type { CredentialRow, ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Log } from '#kernel/log.ts'
import type { Batches } from './batches.ts'
import type { Send, Sendable, SendKey } from './sendable.ts'

export interface SendingRules {
  /** How late something may go out by itself; after that a person decides. Milliseconds. */
  lateness: number
  /** When to search for something whose answer got lost, after it was sent; the last one decides. Milliseconds, rising. */
  searches: readonly number[]
}

/** Where a send has come to, for whoever watches: each is told right after it is true. */
export type Moment = 'taken' | 'intended' | 'answered' | 'completed'

export type Watch = (moment: Moment, send: SendKey) => void

/** A send that is due, taken by the holder of its profile's lane, with everything needed to make it. */
export interface TakenSend<Content = unknown> {
  send: Send
  content: Content
  sendable: Sendable<Content>
  /** In whose name; nothing when it is gone. */
  profile: CredentialRow | undefined
}

/** What this process sends with, for as long as its lease lasts. */
export interface Sending {
  installation: ProfileInstallation
  /** The name under which it holds profiles. */
  worker: string
  rules: SendingRules
  batches: Batches
  watch: Watch
  log: Log
  stopping: () => boolean
  /** Whether profiles may wait because so many are served. */
  isCrowded: () => boolean
}
