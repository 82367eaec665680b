import { sql } from 'kysely'
import type { JobContext } from './job.ts'

/** Does a job's work for every account. Where it fails for one, the others have their turn all the same; then the job has failed. */
export async function eachAccount(
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
      log.error({ account: id, err: error }, 'work for an account failed')
      failures.push(`${id}: ${(error as Error).message}`)
    }
  }
  if (failures.length > 0) throw new Error(`It failed for ${failures.length} of ${rows.length}. ${failures[0]}`)
}
