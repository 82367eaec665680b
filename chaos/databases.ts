import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { migrationFolders } from '#main/project.ts'
import { createDatabase, databaseAt, dropDatabase, isCluster, layOut } from '../tests/support/database/nodes.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'

/** A database server for a run. */
export interface Server {
  /** Creates a migrated, empty database. */
  database(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** A new embedded server, or the cluster of TEST_DATABASE_URL and TEST_CLUSTER. */
export async function openServer(): Promise<Server> {
  if (isCluster) return { database: () => databaseOn(clusterUrl()), stop: async () => {} }
  const folder = await temporaryFolder()
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres') })
  return {
    database: () => databaseOn(server.url),
    async stop() {
      await server.stop()
      await folder.remove()
    },
  }
}

export function clusterUrl(): string {
  const given = process.env.TEST_DATABASE_URL
  if (!given)
    throw new Error('TEST_CLUSTER names the workers of a cluster; TEST_DATABASE_URL must name its coordinator.')
  return given
}

async function databaseOn(serverUrl: string) {
  const name = `chaos_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name)
  const url = databaseAt(serverUrl, name)
  await migrate(url, migrationFolders)
  await layOut(url)
  return { url, drop: () => dropDatabase(serverUrl, name) }
}

/** Creates migrated databases. */
export interface Databases {
  /** Empty, or with a prepared demo workspace. */
  fresh(): Promise<{ url: string; demo?: KnownDemo; drop(): Promise<void> }>
  empty(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** Access to a prepared demo workspace. */
interface KnownDemo {
  /** API key of the admin. */
  key: string
  keyring: string
  /** Folder of its files. */
  folder: string
}

export async function openDatabases(): Promise<Databases> {
  const { database, stop } = await openServer()
  return { empty: database, fresh: database, stop }
}

const retryTimeoutMs = 120_000

/** Retries work of the harness itself while servers are being killed. */
export async function retryUntilAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const started = performance.now(); ; await sleep(250)) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() - started > retryTimeoutMs) throw error
    }
  }
}
