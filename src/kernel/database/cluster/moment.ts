import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { withConnection } from '../transfer/connection.ts'

/**
 * Gives a read-only transaction a consistent snapshot of all nodes. Each node takes its own snapshot at its first query, so each is queried
 * over one connection, the coordinator included, while multi-node commits are blocked for a moment. A commit that concerns one account is
 * on a single node and is consistent anyway.
 */
export async function beginOnAllNodes(reader: pg.Client, url: string, begin: () => Promise<void>) {
  await withConnection(url, async (holder) => {
    await holdCommits(holder)
    await begin()
    await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
    await reader.query('select count(*) from public.accounts')
    await holder.query('rollback')
  })
}

/** Milliseconds to wait for unresolved transactions of a lost node; the cluster resolves them by itself. */
const patience = 120_000
const every = 500

async function holdCommits(holder: pg.Client) {
  for (const begun = performance.now(); ; await sleep(every)) {
    await holder.query(`begin; set local lock_timeout = '60s'`)
    await holder.query('lock table pg_catalog.pg_dist_transaction in exclusive mode').catch(refuse)
    const { rows } = await holder.query<{ success: boolean; result: string }>(
      `select success, result from run_command_on_all_nodes($$select count(*) from pg_prepared_xacts where database = current_database() and gid like 'citus%'$$)`,
    )
    if (rows.every(({ success, result }) => success && result === '0')) return
    await holder.query('rollback')
    if (performance.now() - begun > patience) refuse(new Error('some are left half way'))
  }
}

function refuse(cause: unknown): never {
  const { message } = cause as Error
  throw new Error(
    `One moment of all nodes cannot be seen, because commits over several nodes could not be held (${message}). Connect as a superuser of the cluster, while all its nodes are there.`,
    { cause },
  )
}
