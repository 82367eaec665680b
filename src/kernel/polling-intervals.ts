/**
 * Polling intervals and timeouts of a process, in milliseconds. Polling over all accounts finds work whose notification was missed. Only
 * tests override them.
 */
export interface PollingIntervals {
  /** Jobs that are due, and jobs of processes that have died. */
  readonly jobs: number
  /** Events and deliveries that are due. */
  readonly webhooks: number
  /** Profiles with posts to publish. */
  readonly posts: number
  /** Clicks: while there are some, while there are none, and for those that could not be counted. */
  readonly clicks: { readonly busy: number; readonly idle: number; readonly poisoned: number }
  /** Keep-alive of every change feed. */
  readonly feeds: number
  /** How long a statement waits for a database connection, and how long it may run. */
  readonly connection: number
  readonly statement: number
}

export const defaultPollingIntervals: PollingIntervals = {
  jobs: 1_000,
  webhooks: 1_000,
  posts: 1_000,
  clicks: { busy: 250, idle: 500, poisoned: 15_000 },
  feeds: 15_000,
  connection: 5_000,
  statement: 15_000,
}
