import { type Caller, caller } from '../tests/support/caller.ts'
import { type Program, runProgram } from '../tests/support/program.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { openServer } from './databases.ts'
import { type Programs, startChild, startInProcess } from './processes.ts'

export const account = '001demo00000001'
const key = 'chaos-key-0001'

/** The program on a real database: one API process, and workers that are killed. */
export interface Installation {
  databaseUrl: string
  admin: Caller
  startWorker(): Promise<KillableWorker>
  /** Environment variables, also for the processes of negative controls. */
  environment: Record<string, string>
  stop(): Promise<void>
}

export interface KillableWorker extends Pick<Program, 'child' | 'output'> {
  ended: Promise<unknown>
}

/** For small runs: the API runs in this process, workers are service programs of the harness. */
export interface SmallPlace {
  programs: Programs
  /** A database with the demo workspace. */
  databaseUrl: string
  /** API key of the admin. */
  key: string
  keyring: string
}

export interface InstallationOptions {
  /** Additional environment variables of its processes. */
  environment?: Record<string, string>
  small?: SmallPlace | undefined
  /** An installation shared by consecutive small runs. */
  opened?: Installation | undefined
}

/** Uses its own database unless `small` is given. */
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
  // A worker-only process lowers its priority, which would distort the measurement.
  startWorker: async (shared) => (await startProgram({ ...shared, CHORUS_ROLES: 'api,worker' })).program,
}

async function startProgram(environment: Environment) {
  const program = runProgram('chorus', ['start'], environment)
  return { program, url: await program.printed(/Base URL +(http:\S+)\/v2/) }
}

const smallProcesses = ({ service }: Programs): Processes => ({
  startApi: (shared) => startInProcess({ ...shared, CHORUS_ROLES: 'api' }),
  async startWorker(shared) {
    let output = ''
    const { child, ended } = await startChild(service, { ...shared, CHORUS_ROLES: 'worker' }, (data) => {
      output += data
    })
    return { child, ended, output: () => output }
  },
})
