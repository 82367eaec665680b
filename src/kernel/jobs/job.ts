import type { Context } from '../context.ts'
import type { Db } from '../database/database.ts'
import type { Log } from '../log.ts'

/**
 * The pools jobs run in. Each has places of its own, so that slow work of one kind never delays another; and of these no account
 * has more than its share, so that its slow work never delays another account's.
 */
export const queues = {
  housekeeping: { places: 4, share: 2 },
  mail: { places: 8, share: 2 },
  downloads: { places: 16, share: 4 },
  /** What areas do after others told that something happened. */
  reactions: { places: 8, share: 2 },
  /** What may wait long for a model that writes. */
  texts: { places: 8, share: 2 },
  /** Networks that are asked what is new. */
  polls: { places: 12, share: 3 },
  /** What networks told, on its way into the inbox. */
  arrivals: { places: 6, share: 2 },
  /** What may wait long for systems of others. */
  integrations: { places: 8, share: 2 },
  /** What networks show to those who look at streams. */
  streams: { places: 8, share: 2 },
  /** Networks that are asked how posts and profiles do. */
  numbers: { places: 8, share: 2 },
  /** Files that are written and brought to strangers' servers, which may take long. */
  exports: { places: 4, share: 1 },
} as const

export type Queue = keyof typeof queues

/** What a job works with. It has no transaction of its own: whatever it does outside must not wait inside one. */
export interface JobContext {
  readonly id: string
  readonly now: Date
  /** Which try this is, from 1 on. */
  readonly attempt: number
  /** Aborts when this process may no longer hold the job. */
  readonly signal: AbortSignal
  /** One step in an account, all or nothing. */
  as<Result>(accountId: string, work: (context: Context) => Promise<Result>): Promise<Result>
  /** The last step: it is undone if another process holds the job by now, and the job is done when it commits. */
  finish<Result>(accountId: string, work: (context: Context) => Promise<Result>): Promise<Result>
  /** Tables that belong to no account. */
  readonly shared: Db
  readonly log: Log
}

/** Who owns the work, an area or a part of the kernel, and what it does: `media.remove-file`. Jobs, schedules and logs know it by this. */
export type JobName = `${string}.${string}-${string}`

export interface Job<Payload> {
  readonly name: JobName
  readonly queue: Queue
  /** Milliseconds to wait after each failed try; one try more than there are waits. */
  readonly waits: readonly number[]
  /** Milliseconds after which a try counts as failed. */
  readonly timeout: number
  readonly run: (context: JobContext, payload: Payload) => Promise<void>
}

const second = 1000
const minute = 60 * second

/** Unless a job has others. */
export const usualWaits: readonly number[] = [5 * second, minute, 10 * minute, 60 * minute]

export const job = <Payload>(
  name: JobName,
  {
    waits = usualWaits,
    timeout = minute,
    ...rest
  }: Omit<Job<Payload>, 'name' | 'waits' | 'timeout'> & Partial<Job<Payload>>,
): Job<Payload> => ({ name, waits, timeout, ...rest })
