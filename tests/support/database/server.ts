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
    /** The demo workspace as the system's clock sees it, and the keyring that all workers share. */
    demo: Demo
    /** Who keeps the one browser and the one program for the tests that need them. */
    keeperUrl: string
  }
}

/** One real PostgreSQL for the whole run: the embedded one, or the server that TEST_DATABASE_URL names. */
export default async function setup(project: TestProject) {
  const given = process.env.TEST_DATABASE_URL
  // Built before several tests want to start it at the same moment.
  const { build } = await import(new URL('../../../bin/build.mjs', import.meta.url).href)
  await build()
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
  // Nothing here outlives the run, so it need not outlive a power cut, nor be cleaned up.
  const unkept = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }
  // What is read lies in memory and is little: nobody else is asked to read it, or to write it down meanwhile.
  const unshared = { io_method: 'sync', max_parallel_workers_per_gather: '0', bgwriter_lru_maxpages: '0' }
  const unlogged = { wal_level: 'minimal', max_wal_senders: '0', checkpoint_timeout: '1h', max_wal_size: '2GB' }
  // Nor does anybody look at a list of processes for what each is doing.
  const untold = { update_process_title: 'off' }
  const settings = { ...unkept, ...unshared, ...unlogged, ...untold, jit: 'off', max_connections: '300' }
  const server = await startEmbeddedServer({ folder: join(folder.path, 'postgres'), settings })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await folder.remove()
    },
  }
}
