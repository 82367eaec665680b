import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../../../../tests/support/temporary-folder.ts'
import { type EmbeddedServer, type EmbeddedServerOptions, startEmbeddedServer } from './embedded-server.ts'
import { identifyProcess } from './process-identity.ts'

/** A data folder that the tests of one file share in sequence, as a real one passes through all of these states. */
export function dataFolder() {
  const started: EmbeddedServer[] = []
  let temporary: TemporaryFolder
  const location = { base: '', folder: '' }
  beforeAll(async () => {
    temporary = await temporaryFolder()
    location.base = await realpath(temporary.path)
    location.folder = join(location.base, 'postgres')
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()))
  })
  afterAll(() => temporary.remove())

  const start = async (options: Partial<EmbeddedServerOptions> = {}): Promise<EmbeddedServer> => {
    const server = await startEmbeddedServer({ folder: location.folder, ...options })
    started.push(server)
    return server
  }
  return { location, start }
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

export async function isAlive(pid: number): Promise<boolean> {
  return (await identifyProcess(pid)) !== undefined
}
