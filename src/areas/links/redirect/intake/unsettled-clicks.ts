import { sql } from 'kysely'
import { isUnderWayOnNodes } from '#kernel/database/cluster/cluster.ts'
import type { Database } from '#kernel/database/database.ts'
import type { Unsettled } from '#kernel/database/writer.ts'
import type { Log } from '#kernel/log.ts'
import type { Click } from '../../click/click-bundle.ts'

const retryAfter = 250

export const pause = (milliseconds = retryAfter) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Whether a statement without an answer was done. Nothing is written again before that is certain. */
export async function isWritten(
  { database, log }: { database: Database; log: Log },
  unsettled: Unsettled,
  batch: readonly Click[],
  isOver: () => boolean,
): Promise<boolean> {
  for (;;) {
    try {
      // While the backend lives it may still commit, or not even have begun.
      if (!(await isRunning(database, unsettled.backend))) return await areThere(database, batch)
    } catch (error) {
      log.warn({ err: error }, 'whether clicks were written cannot be found out yet')
    }
    if (isOver()) throw unsettled
    await pause()
  }
}

async function isRunning(database: Database, backend: number): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where pid = ${backend}`.execute(database.shared)
  return rows.length > 0 || ((await database.isDistributed()) && isUnderWayOnNodes(database, backend))
}

/** All or none were written. Counting takes clicks from one table to the other, so that is the order to look in. */
async function areThere(database: Database, batch: readonly Click[]): Promise<boolean> {
  const ids = batch.map(({ id }) => id)
  const { rows } = await sql`
    select from click_bundles where account = ${batch[0]?.account} and strpos(clicks, ${ids[0]}) > 0 limit 1`.execute(
    database.shared,
  )
  if (rows.length > 0) return true
  for (const account of new Set(batch.map((click) => click.account))) {
    const { rows: counted } = await sql`
      select from clicks where account_id = ${account} and id = any(${ids}::text[]) limit 1`.execute(
      database.forAccount(account),
    )
    if (counted.length > 0) return true
  }
  return false
}
