import { join } from 'node:path'
import { startEmbeddedServer } from '#kernel/database/embedded/embedded-server.ts'
import { type Caller, caller } from '../tests/support/caller.ts'
import { type Program, runProgram } from '../tests/support/program.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'

export const account = '001demo00000001'
const key = 'chaos-key-0001'

/** The real program over a real database: one process that answers, and workers that are killed. */
export interface Installation {
  databaseUrl: string
  admin: Caller
  startWorker(): Promise<Program>
  /** Starts a process of the harness's own instead, for the control. */
  environment: Record<string, string>
  stop(): Promise<void>
}

/** On a server of its own with its usual settings, unless the environment names a database that is migrated. */
export async function openInstallation(environment: Record<string, string> = {}): Promise<Installation> {
  const folder = await temporaryFolder()
  const given = environment.CHORUS_DATABASE_URL
  const database = given
    ? { url: given, stop: async () => {} }
    : await startEmbeddedServer({ folder: join(folder.path, 'postgres') })
  const shared = {
    CHORUS_PORT: '0',
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DATABASE_URL: database.url,
    CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_LOG_LEVEL: 'warn',
    ...environment,
  }
  const start = async (roles: string, more: Record<string, string> = {}) => {
    const program = runProgram('chorus', ['start'], { ...shared, CHORUS_ROLES: roles, ...more })
    return { program, url: await program.printed(/Base URL +(http:\S+)\/v2/) }
  }
  const api = await start('api', { CHORUS_DEMO: '1', CHORUS_DEMO_API_KEY: key })
  return {
    databaseUrl: database.url,
    admin: caller(api.url, account, key),
    environment: shared,
    // One that only works steps back behind whatever else the machine does; a run would measure that.
    startWorker: async () => (await start('api,worker')).program,
    async stop() {
      api.program.child.kill('SIGTERM')
      await api.program.ended
      await database.stop()
      await folder.remove()
    },
  }
}
