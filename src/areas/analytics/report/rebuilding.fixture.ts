import { beginRebuild, rebuildSome } from '#areas/counters/rebuild.ts'
import type { Database } from '#kernel/database/database.ts'
import { registry } from '#main/registry.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount } from '../../../../tests/support/service.ts'

/** Recounts all or some of the demo's counters. */
export const rebuild = (database: Database, some = registry.recounts) =>
  database.transaction(demoAccount, async (db) => {
    const context = { db, accountId: demoAccount, now: new Date() } as Parameters<typeof beginRebuild>[0]
    await beginRebuild(context)
    await rebuildSome(context, some, 10_000)
  })

/** Every counter of the demo as a line. */
export async function storedCounters(databaseUrl: string): Promise<string[]> {
  const rows = await ownerQuery<{ line: string }>(
    databaseUrl,
    `select concat_ws(' ', 'day', of_kind, of_id, name, day, value::int) as line from daily_rollups where account_id = $1 and value <> 0
    union all select concat_ws(' ', 'quarter', of_kind, of_id, name, quarter, value::int) from quarter_hour_rollups where account_id = $1 and value <> 0
    union all select concat_ws(' ', 'all', of_kind, of_id, name, value::int) from counters where account_id = $1 and value <> 0`,
    [demoAccount],
  )
  return rows.map(({ line }) => line)
}

/** Lines only before, and only after: too many to compare one by one. */
export function differences(before: readonly string[], after: readonly string[]) {
  const [were, are] = [new Set(before), new Set(after)]
  return { gone: before.filter((one) => !are.has(one)), added: after.filter((one) => !were.has(one)) }
}

export const same: ReturnType<typeof differences> = { gone: [], added: [] }
