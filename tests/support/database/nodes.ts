import { distribute } from '#kernel/database/cluster/distribute.ts'
import { ownerQuery } from '#kernel/database/owner.ts'

/**
 * The whole run can use a Citus cluster: TEST_DATABASE_URL names the coordinator, and TEST_CLUSTER the workers, separated by commas. A
 * database exists on every node and is created, copied and dropped on all of them together.
 */
const workers = (process.env.TEST_CLUSTER ?? '').split(',').filter(Boolean)
export const isCluster = workers.length > 0

/** The coordinator first. */
export const nodesOf = (serverUrl: string) => [serverUrl, ...workers]

/** Runs a statement that concerns a whole database. */
async function onEveryNode(serverUrl: string, statement: string) {
  for (const node of nodesOf(serverUrl)) await ownerQuery(node, statement)
}

/** Creates an empty database whose tables can be distributed. */
export async function createDatabase(serverUrl: string, name: string) {
  await onEveryNode(serverUrl, `create database ${name}`)
  if (!isCluster) return
  for (const node of nodesOf(serverUrl)) await ownerQuery(databaseAt(node, name), 'create extension citus')
  const url = databaseAt(serverUrl, name)
  await ownerQuery(url, 'select citus_set_coordinator_host($1, $2::int)', place(serverUrl))
  for (const worker of workers) await ownerQuery(url, 'select citus_add_node($1, $2::int)', place(worker))
}

/** Distributes the migrated tables over few shards, because every shard is copied with every database. */
export async function layOut(url: string) {
  if (!isCluster) return
  const few = new URL(url)
  few.searchParams.set('options', '-c citus.shard_count=4')
  await distribute(few.href, () => {})
}

/** Lets callers that create and drop many databases reuse a connection. */
type Ask = (url: string, text: string, values?: unknown[]) => Promise<unknown>

export async function copyDatabase(serverUrl: string, name: string, template: string, ask: Ask = ownerQuery) {
  // Half the work of copying page by page.
  const copy = `create database ${name} template ${template} strategy file_copy`
  for (const node of nodesOf(serverUrl)) await unused(node, template, () => ask(node, copy))
}

export async function dropDatabase(serverUrl: string, name: string, ask: Ask = ownerQuery) {
  const drop = `drop database if exists ${name} with (force)`
  for (const node of nodesOf(serverUrl)) await unused(node, name, () => ask(node, drop))
}

/** Connections have to be closed first; on a cluster, those of its own daemons. */
export async function renameDatabase(serverUrl: string, from: string, to: string) {
  for (const node of nodesOf(serverUrl))
    await unused(node, from, () => ownerQuery(node, `alter database ${from} rename to ${to}`))
}

const place = (given: string) => {
  const { hostname, port } = new URL(given)
  return [hostname, port || '5432']
}

/** A daemon of the cluster may be connected to a database, which then can be neither copied nor renamed: retried. */
async function unused(node: string, name: string, work: () => Promise<unknown>) {
  for (let tries = 1; ; tries++) {
    try {
      if (isCluster)
        await ownerQuery(node, 'select pg_terminate_backend(pid, 2000) from pg_stat_activity where datname = $1', [
          name,
        ])
      await work()
      return
    } catch (error) {
      if (!isCluster || tries === 50) throw error
    }
  }
}

/** URL of another database on the same server. */
export function databaseAt(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Number of sessions waiting for locks in this database, on all nodes. Uses a new connection: inside a transaction the result would not change. */
export async function waitingForLocks(url: string): Promise<number> {
  const [row] = await ownerQuery<{ waiting: number }>(url, isCluster ? onAllNodes : here)
  return row?.waiting ?? 0
}

const here = `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const onAllNodes = `select sum(result::int)::int as waiting from run_command_on_all_nodes($$${here}$$)`
