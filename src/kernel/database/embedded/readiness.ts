import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, clusterUrl } from './cluster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { isRunning, type ProcessIdentity } from './process-identity.ts'
import { socketFolder } from './server-command.ts'

const pollMilliseconds = 15
const reportMilliseconds = 5_000
const limitMilliseconds = 600_000
const connectAttempts = 3

/** Resolves when the server answers a query on its database; rejects when it ends first or turns us away. */
export async function awaitReady(
  cluster: Cluster,
  server: ProcessIdentity,
  port: number,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  await awaitNotedReady(cluster, server, report, signal)
  for (let attempt = 1; ; attempt++) {
    try {
      return await checkAnswers(cluster, port)
    } catch (error) {
      if (attempt === connectAttempts || !(await isRunning(server))) throw explain(error, cluster)
      await sleep(pollMilliseconds * attempt)
    }
  }
}

/** Waits for the server's own note first: until it holds the port, whoever answers there may be another server. */
async function awaitNotedReady(
  cluster: Cluster,
  server: ProcessIdentity,
  report: (line: string) => void,
  signal: AbortSignal | undefined,
) {
  const began = performance.now()
  let reported = began
  for (;;) {
    const note = await readPostmasterFile(cluster.folder)
    if (note?.pid === server.pid && note.status === 'ready') return
    if (!(await isRunning(server))) throw new Error('PostgreSQL ended before it was ready')
    if (signal?.aborted) throw new Error('PostgreSQL was stopped before it was ready')
    const now = performance.now()
    if (now - began > limitMilliseconds) throw new Error('PostgreSQL was not ready within ten minutes')
    if (now - reported > reportMilliseconds) {
      reported = now
      report('waiting for PostgreSQL, which is recovering from a crash or stopping')
    }
    await sleep(pollMilliseconds)
  }
}

async function checkAnswers(cluster: Cluster, port: number): Promise<void> {
  const listening = { port, sockets: socketFolder(cluster.folder) }
  try {
    const folder = await ask(clusterUrl(cluster, listening), 'show data_directory')
    if (relative(String(folder), cluster.folder) !== '')
      throw new Error(`port ${port} serves another cluster, ${folder}`)
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '3D000') throw error
    await ask(clusterUrl(cluster, listening, 'postgres'), 'create database chorus')
  }
}

async function ask(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000, query_timeout: 30_000 })
  // A server that ends meanwhile must fail the query, not the whole process.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end().catch(() => {})
  }
}

function explain(error: unknown, cluster: Cluster): Error {
  const { code, message } = error as pg.DatabaseError
  const hint = code === '28P01' ? `; the password in ${cluster.passwordFile} is not that of ${cluster.folder}` : ''
  return new Error(`PostgreSQL started but does not answer (${message})${hint}`, { cause: error })
}
