import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { migrationsFolder } from '#main/project.ts'
import { databaseAt } from '../tests/support/database/database-url.ts'
import { createDatabase, dropDatabase, isCluster, layOut } from '../tests/support/database/nodes.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'

/** Where the databases of a run lie. */
export interface Server {
  /** A new one, migrated and empty. */
  database(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** An embedded server of the run's own with its usual settings, or the cluster that TEST_DATABASE_URL and TEST_CLUSTER name. */
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
  await migrate(url, migrationsFolder)
  await layOut(url)
  return { url, drop: () => dropDatabase(serverUrl, name) }
}
