import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/migrate.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrationsFolder } from '#main/project.ts'
import { databaseAt } from '../../tests/support/database/database-url.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'

/** Gives databases that are migrated. */
export interface Databases {
  /** Empty but for a demo workspace somebody may have seen to. */
  fresh(): Promise<{ url: string; demo?: KnownDemo; drop(): Promise<void> }>
  empty(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** What a process needs to serve a demo workspace that is there already. */
interface KnownDemo {
  /** The admin's. */
  key: string
  keyring: string
  /** Where its files are. */
  folder: string
}

/** Databases on an embedded server of their own, with its usual settings. */
export async function openDatabases(): Promise<Databases> {
  const folder = await temporaryFolder()
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres') })
  const empty = async () => {
    const name = `chaos_${randomBytes(6).toString('hex')}`
    await ownerQuery(server.url, `create database ${name}`)
    const url = databaseAt(server.url, name)
    await migrate(url, migrationsFolder)
    const drop = async () => {
      await ownerQuery(server.url, `drop database if exists ${name} with (force)`)
    }
    return { url, drop }
  }
  return {
    ...{ empty, fresh: empty },
    async stop() {
      await server.stop()
      await folder.remove()
    },
  }
}
