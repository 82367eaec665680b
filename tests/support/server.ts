import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { migrate } from '#kernel/database/migrate.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrationsFolder } from '#main/project.ts'
import { databaseAt } from './database-url.ts'
import { temporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    serverUrl: string
  }
}

/** The name of the migrated, empty database that every test file's database is a copy of. */
export const template = 'chorus_template'

/** One real PostgreSQL for the whole run: the embedded one, or the server that TEST_DATABASE_URL names. */
export default async function setup(project: TestProject) {
  const given = process.env.TEST_DATABASE_URL
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startThrowaway()
  await ownerQuery(url, `drop database if exists ${template}`)
  await ownerQuery(url, `create database ${template}`)
  await migrate(databaseAt(url, template), migrationsFolder)
  project.provide('serverUrl', url)
  return stop
}

async function startThrowaway() {
  const folder = await temporaryFolder()
  // Nothing here outlives the run, so it need not outlive a power cut.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres'), settings })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await folder.remove()
    },
  }
}
