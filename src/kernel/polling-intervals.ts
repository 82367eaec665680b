/**
 * How often the parts of a process look over all accounts for work that nobody told of, and how long they wait, in milliseconds. Only tests have
 * another one.
 */
export interface PollingIntervals {
  /** For jobs that fell due, and for those of processes that are gone. */
  readonly jobs: number
  /** For events and deliveries that fell due. */
  readonly webhooks: number
  /** For profiles that have something to send. */
  readonly posts: number
  /** For clicks: while there are some, while there are none, and for those that could not be counted. */
  readonly clicks: { readonly busy: number; readonly idle: number; readonly poisoned: number }
  /** For the sign of life on every feed. */
  readonly feeds: number
  /** How long a statement waits for a connection to the database, and how long it may take then. */
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
