import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../handle.ts'

type Ask = (text: string) => Promise<{ rows: unknown[] }>

/** Whether the rows of accounts are distributed over the nodes of a Citus cluster. Having the extension installed is not enough. */
export async function isDistributed(ask: Ask): Promise<boolean> {
  const { rows: present } = await ask(
    `select from pg_catalog.pg_extension where extname = 'citus' and to_regclass('public.accounts') is not null`,
  )
  if (present.length === 0) return false
  const { rows } = await ask(
    `select from pg_catalog.pg_dist_partition where logicalrelid = 'public.accounts'::regclass`,
  )
  return rows.length > 0
}

/** Returns, as a sentence, why the rows can't be distributed from this database; undefined if they can. */
export async function obstacle(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ version: string }>(
    `select extversion as version from pg_extension where extname = 'citus'`,
  )
  if (!rows[0])
    return 'The database has no Citus: on each node run "create extension citus" in it, and add the nodes on the coordinator with citus_add_node.'
  const { rows: nodes } = await client.query<{
    nodename: string
    nodeport: number
    coordinator: boolean
    ready: boolean
  }>(
    `select nodename, nodeport, groupid = 0 as coordinator, isactive and metadatasynced as ready from pg_dist_node where noderole = 'primary'`,
  )
  if (!nodes.some(({ coordinator }) => coordinator))
    return 'The coordinator does not know its own address: run "select citus_set_coordinator_host(\'<host>\', <port>)" in the database.'
  const idle = nodes.find(({ ready }) => !ready)
  if (idle)
    return `The node ${idle.nodename}:${idle.nodeport} is not active. Bring it back, or remove it with citus_remove_node.`
  return undefined
}

/** The internal error Citus raises when it loses a node mid-transaction; most other losses are reported as connection errors. */
export const isLostNode = (code: string | undefined, message: string | undefined): boolean =>
  code === 'XX000' && lostNode.test(message ?? '')

const lostNode =
  /could not commit transaction|connection marked as essential|failed to COPY|server closed the connection|connection not open|SSL SYSCALL/

/**
 * Whether a node still has state of a transaction that a backend of this server started: a running worker process, or a prepared
 * transaction that is not yet resolved. Rejects while a node can't be queried.
 */
export async function isUnderWayOnNodes({ shared }: { readonly shared: Db }, backend: number): Promise<boolean> {
  const stateQuery = `select (select count(*) from pg_stat_activity where application_name like 'citus_internal gpid=%' and right(application_name, 10)::bigint = ${backend})
    + (select count(*) from pg_prepared_xacts where gid like 'citus\\_0\\_${backend}\\_%')`
  const { rows } = await sql<{ success: boolean; result: string }>`
    select success, result from run_command_on_all_nodes(${stateQuery})`.execute(shared)
  const silent = rows.find(({ success }) => !success)
  if (silent) throw new Error(`A node of the cluster cannot be asked: ${silent.result}`)
  return rows.some(({ result }) => result !== '0')
}
