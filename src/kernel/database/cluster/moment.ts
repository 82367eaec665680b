import type pg from 'pg'
import { withConnection } from '../transfer/connection.ts'

/**
 * Makes a transaction that only reads see one moment of all nodes. Each node has a moment of its own, that of the first look; so each is
 * looked at over one connection, and all of them while no commit that concerns several nodes can be half way: for an instant those wait.
 * What concerns one account alone is committed on its node and is whole in any case.
 */
export async function stopAllNodesAtOnce(reader: pg.Client, url: string) {
  await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
  await withConnection(url, async (holder) => {
    await holder.query(`begin; set local lock_timeout = '60s'`)
    await holder.query('lock table pg_catalog.pg_dist_transaction in exclusive mode').catch(refuse)
    await reader.query('select count(*) from public.accounts')
    await holder.query('rollback')
  })
}

function refuse(cause: unknown): never {
  const { message } = cause as Error
  throw new Error(
    `One moment of all nodes cannot be seen, because commits over several nodes could not be held (${message}). Connect as a superuser of the cluster.`,
    { cause },
  )
}
