import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { newKeyring } from '#kernel/secrets/keyring.ts'
import { lockOrder } from '#main/registry.ts'
import { openKeeper } from '../keeper.ts'
import { quickFolder } from '../temporary-folder.ts'
import { copyDatabase } from './nodes.ts'
import {
  type Demo,
  dropTemplates,
  emptyTemplate,
  makeEmptyTemplate,
  seedDemoOnce,
  shardsDatabase,
} from './templates.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Locks in the order in which transactions acquire them. */
    lockOrder: readonly string[]
    serverUrl: string
    /** The demo workspace at the current system time, and the keyring shared by all workers. */
    demo: Demo
    /** URL of the keeper of the shared browser and program. */
    keeperUrl: string
  }
}

/** One real PostgreSQL for the whole run: the embedded one, or the server of TEST_DATABASE_URL. */
export default async function setup(project: TestProject) {
  const given = process.env.TEST_DATABASE_URL
  // Built once, before several tests start it at the same time. Runs without tests of the program need none.
  const { build } = await import(new URL('../../../bin/build.mjs', import.meta.url).href)
  if (process.env.TEST_BUILD !== 'none') await build()
  const files = await quickFolder()
  process.env.TEST_FOLDER = files.path
  const { url, stop } = given ? { url: given, stop: () => dropTemplates(given) } : await startThrowaway()
  const demo = { keys: newKeyring(), moment: Date.now() }
  await dropTemplates(url)
  await makeEmptyTemplate(url)
  if (process.env.TEST_SHARDS) await copyDatabase(url, shardsDatabase, emptyTemplate)
  await seedDemoOnce(url, demo)
  project.provide('serverUrl', url)
  project.provide('lockOrder', lockOrder)
  project.provide('demo', demo)
  const keeper = await openKeeper(url)
  project.provide('keeperUrl', keeper.url)
  return async () => {
    await keeper.close()
    await stop()
    await files.remove()
  }
}

async function startThrowaway() {
  const folder = await quickFolder()
  // The data does not outlive the run, so it needs neither durability nor vacuuming.
  const withoutDurability = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }
  // The data is small and in memory: no parallel workers, no background I/O.
  const unshared = { io_method: 'sync', max_parallel_workers_per_gather: '0', bgwriter_lru_maxpages: '0' }
  const unlogged = { wal_level: 'minimal', max_wal_senders: '0', checkpoint_timeout: '1h', max_wal_size: '2GB' }
  // Nothing reads the process titles.
  const withoutProcessTitle = { update_process_title: 'off' }
  const settings = {
    ...withoutDurability,
    ...unshared,
    ...unlogged,
    ...withoutProcessTitle,
    jit: 'off',
    max_connections: '300',
  }
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres'), settings })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await folder.remove()
    },
  }
}
