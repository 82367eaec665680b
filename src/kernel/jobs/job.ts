import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Db } from '../database/database.ts'
import type { Log } from '../log.ts'

/**
 * Each queue has its own slots per process, so slow work in one queue does not delay another. Within a queue an account is limited to
 * `maxPerAccount` slots, so its slow jobs do not delay other accounts.
 */
export const queues = {
  housekeeping: { slots: 4, maxPerAccount: 2 },
  mail: { slots: 8, maxPerAccount: 2 },
  downloads: { slots: 16, maxPerAccount: 4 },
  /** Asynchronous reactions to events of other areas. */
  reactions: { slots: 8, maxPerAccount: 2 },
  /** Calls to a language model. */
  texts: { slots: 8, maxPerAccount: 2 },
  /** Polling networks for inbox activity. */
  polls: { slots: 12, maxPerAccount: 3 },
  /** Storing received network activity in the inbox. */
  arrivals: { slots: 6, maxPerAccount: 2 },
  /** Calls to CRM and case systems. */
  integrations: { slots: 8, maxPerAccount: 2 },
  /** Fetching the feeds of streams that are being viewed. */
  streams: { slots: 8, maxPerAccount: 2 },
  /** Collecting post and profile metrics from networks. */
  numbers: { slots: 8, maxPerAccount: 2 },
  /** Writing export files and uploading them to third-party servers. */
  exports: { slots: 4, maxPerAccount: 1 },
} as const

export type Queue = keyof typeof queues

/** The context of a running job. There is no surrounding transaction, so a job may await external calls between its steps. */
export interface JobContext {
  readonly id: string
  readonly now: Date
  /** Counts from 1. */
  readonly attempt: number
  /** Aborts on timeout, or when another process may have claimed the job. */
  readonly signal: AbortSignal
  /** Runs one transaction in an account. */
  transaction<Result>(accountId: string, work: (context: Context) => Promise<Result>): Promise<Result>
  /** Runs the last transaction and completes the job in it; rolls back if another process has claimed the job. */
  complete<Result>(accountId: string, work: (context: Context) => Promise<Result>): Promise<Result>
  /** Tables that belong to no account. */
  readonly shared: Db
  readonly log: Log
}

/** The owner (an area or a part of the kernel) and the task, e.g. `media.remove-file`. Stored with the job, so renaming needs an alias. */
export type JobName = `${string}.${string}-${string}`

export interface Job<Payload> {
  readonly name: JobName
  readonly queue: Queue
  /** Milliseconds to wait after each failed attempt. A job is dead once it has failed one more time than there are delays. */
  readonly retryDelays: readonly number[]
  /** Milliseconds after which an attempt has failed. */
  readonly timeout: number
  readonly run: (context: JobContext, payload: Payload) => Promise<void>
}

const second = 1000
const minute = 60 * second

export const defaultRetryDelays: readonly number[] = [5 * second, minute, 10 * minute, 60 * minute]

/** Defines a job. */
export const job = <Payload>(
  name: JobName,
  {
    retryDelays = defaultRetryDelays,
    timeout = minute,
    ...rest
  }: Omit<Job<Payload>, 'name' | 'retryDelays' | 'timeout'> & Partial<Job<Payload>>,
): Job<Payload> => ({ name, retryDelays, timeout, ...rest })

/** Runs a job's work for every account. A failure in one account does not stop the others, but fails the job at the end. */
export async function forEachAccount(
  { shared, signal, log }: Pick<JobContext, 'shared' | 'signal' | 'log'>,
  work: (accountId: string) => Promise<unknown>,
) {
  const { rows } = await sql<{ id: string }>`select chorus_account_ids() as id`.execute(shared)
  const failures: string[] = []
  for (const { id } of rows) {
    if (signal.aborted) return
    try {
      await work(id)
    } catch (error) {
      log.error({ account: id, err: error }, 'job failed for an account')
      failures.push(`${id}: ${(error as Error).message}`)
    }
  }
  if (failures.length > 0) throw new Error(`It failed for ${failures.length} of ${rows.length}. ${failures[0]}`)
}
