import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kernel/database/database.ts'
import { type Result, recordResults, type Standing } from './record.ts'

export interface Recorder {
  /** Writes a result together with others of the account; tells how the webhook stands, or nothing when it was lost. */
  record(account: string, result: Result): Promise<Standing | undefined>
}

interface Waiting {
  result: Result
  resolve(standing: Standing | undefined): void
  reject(error: unknown): void
}

/** One statement at a time per account; what comes meanwhile goes with the next one. */
export function openRecorder(database: Database, worker: string): Recorder {
  const accounts = new Map<string, Waiting[]>()

  const write = async (account: string, waiting: Waiting[]) => {
    while (waiting.length > 0) {
      // Nobody waits for this but the next call of the same webhook, and one statement for many is far cheaper.
      if (waiting.length < batchSize) await sleep(gathering)
      const batch = waiting.splice(0, batchSize)
      const results = batch.map(({ result }) => result)
      try {
        const standings = await recordResults(database.forAccount(account), account, worker, results)
        const byWebhook = new Map(standings.map((standing) => [standing.webhook, standing]))
        for (const { result, resolve } of batch) resolve(byWebhook.get(result.webhook))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    accounts.delete(account)
  }

  return {
    record: (account, result) =>
      new Promise((resolve, reject) => {
        const known = accounts.get(account)
        const waiting = known ?? []
        waiting.push({ result, resolve, reject })
        if (known) return
        accounts.set(account, waiting)
        void write(account, waiting)
      }),
  }
}

const batchSize = 256
/** Milliseconds. */
const gathering = 3
