import { type Caller, caller } from '../tests/support/caller.ts'
import { type Program, runProgram } from '../tests/support/program.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import type { Programs } from './programs.ts'
import { startChild } from './publishing/service-child.ts'
import { startInside } from './publishing/service-inside.ts'
import { openServer } from './server.ts'

export const account = '001demo00000001'
const key = 'chaos-key-0001'

/** The real program over a real database: one process that answers, and workers that are killed. */
export interface Installation {
  databaseUrl: string
  admin: Caller
  startWorker(): Promise<KillableWorker>
  /** Starts a process of the harness's own instead, for the control. */
  environment: Record<string, string>
  stop(): Promise<void>
}

export interface KillableWorker extends Pick<Program, 'child' | 'output'> {
  ended: Promise<unknown>
}

/** For small runs: what answers runs in this process, and workers are those of the harness. */
export interface SmallPlace {
  programs: Programs
  /** With the demo workspace. */
  databaseUrl: string
  /** The admin's. */
  key: string
  keyring: string
}

export interface InstallationOptions {
  /** For its processes, on top of what they need. */
  environment?: Record<string, string>
  small?: SmallPlace | undefined
  /** One that several small runs have after one another. */
  opened?: Installation | undefined
}

/** On a database of its own, unless it is a small one. */
export async function openInstallation({
  environment,
  small,
  opened,
}: InstallationOptions = {}): Promise<Installation> {
  if (opened) return { ...opened, stop: async () => {} }
  const folder = await temporaryFolder()
  const server = small ? undefined : await openServer()
  const database = (await server?.database()) ?? { url: small?.databaseUrl ?? '', drop: async () => {} }
  const shared = {
    CHORUS_PORT: '0',
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DATABASE_URL: database.url,
    CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_LOG_LEVEL: 'warn',
    ...(small && { CHORUS_SECRET_KEYS: small.keyring }),
    ...environment,
  }
  const processes = small ? smallProcesses(small.programs) : wholeProcesses
  const api = await processes.startApi(shared)
  return {
    databaseUrl: database.url,
    admin: caller(api.url, account, small?.key ?? key),
    environment: shared,
    startWorker: () => processes.startWorker(shared),
    async stop() {
      await api.stop()
      await database.drop()
      await server?.stop()
      await folder.remove()
    },
  }
}

type Environment = Record<string, string>

interface Processes {
  startApi(shared: Environment): Promise<{ url: string; stop(): Promise<void> }>
  startWorker(shared: Environment): Promise<KillableWorker>
}

const wholeProcesses: Processes = {
  async startApi(shared) {
    const more = { CHORUS_ROLES: 'api', CHORUS_DEMO: '1', CHORUS_DEMO_API_KEY: key }
    const { program, url } = await startProgram({ ...shared, ...more })
    const stop = async () => {
      program.child.kill('SIGTERM')
      await program.ended
    }
    return { url, stop }
  },
  // One that only works steps back behind whatever else the machine does; a run would measure that.
  startWorker: async (shared) => (await startProgram({ ...shared, CHORUS_ROLES: 'api,worker' })).program,
}

async function startProgram(environment: Environment) {
  const program = runProgram('chorus', ['start'], environment)
  return { program, url: await program.printed(/Base URL +(http:\S+)\/v2/) }
}

const smallProcesses = ({ service }: Programs): Processes => ({
  startApi: (shared) => startInside({ ...shared, CHORUS_ROLES: 'api' }),
  async startWorker(shared) {
    let output = ''
    const { child, ended } = await startChild(service, { ...shared, CHORUS_ROLES: 'worker' }, (data) => {
      output += data
    })
    return { child, ended, output: () => output }
  },
})
