import { ownerQuery } from '#kernel/database/owner.ts'
import { isCluster } from './nodes.ts'

/** How many wait for what somebody else holds in this database, wherever its rows lie. Asked over a new connection: inside a transaction the answer would stay the same. */
export async function waitingForLocks(url: string): Promise<number> {
  const [row] = await ownerQuery<{ waiting: number }>(url, isCluster ? onAllNodes : here)
  return row?.waiting ?? 0
}

const here = `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const onAllNodes = `select sum(result::int)::int as waiting from run_command_on_all_nodes($$${here}$$)`
