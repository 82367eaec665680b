import type { Database } from '#kernel/database/database.ts'
import { createBatcher } from '#kernel/jobs/batcher.ts'
import { type Result, recordResults, type Standing } from './record.ts'

export interface Recorder {
  /** Writes a result together with others of the account; tells how the webhook stands, or nothing when it was lost. */
  record(account: string, result: Result): Promise<Standing | undefined>
}

/** Nobody waits for this but the next call of the same webhook, and one statement for many is far cheaper. */
export const openRecorder = (database: Database, worker: string): Recorder => ({
  record: createBatcher<Result, Standing | undefined>({
    maxSize: 256,
    maxDelay: 3,
    async run(account, results) {
      const standings = await recordResults(database.forAccount(account), account, worker, results)
      const byWebhook = new Map(standings.map((standing) => [standing.webhook, standing]))
      return results.map(({ webhook }) => byWebhook.get(webhook))
    },
  }),
})
