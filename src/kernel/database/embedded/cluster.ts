import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { changeOwner, changeOwnerOfTree, type HomeFolder, runAs, type SystemUser } from './system-user.ts'

/** An initialized cluster with everything needed to run it and to log in. */
export interface Cluster {
  readonly folder: string
  readonly log: string
  readonly passwordFile: string
  readonly password: string
  readonly binaries: Binaries
  readonly user: SystemUser | undefined
}

/** Opens the cluster of the home folder, and creates it if there is none. */
export async function openCluster(
  home: HomeFolder,
  binaries: Binaries,
  report: (line: string) => void,
): Promise<Cluster> {
  const passwordFile = join(home.folder, 'password')
  await removeUnfinished(home.folder)
  const exists = existsSync(join(home.cluster, 'PG_VERSION'))
  const password = exists ? await readPassword(passwordFile) : await ensurePassword(passwordFile)
  if (exists) {
    await takeFromRoot(home)
  } else {
    report(`creating the database cluster in ${home.cluster}`)
    await createCluster(home, binaries, password)
  }
  return {
    folder: home.cluster,
    log: join(home.folder, 'server.log'),
    passwordFile,
    password,
    binaries,
    user: home.user,
  }
}

/** Contains the port, and the socket folder, which is preferred if there is one. */
export function clusterUrl(
  { password }: Pick<Cluster, 'password'>,
  { port, sockets }: Listening,
  database = 'chorus',
): string {
  const socket = sockets && `&host=${encodeURIComponent(sockets)}`
  return `postgres://chorus:${password}@127.0.0.1:${port}/${database}?sslmode=disable${socket}`
}

/** How a server is reached: `sockets` is a folder, or empty. */
export interface Listening {
  readonly port: number
  readonly sockets: string
}

async function removeUnfinished(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith('cluster.new-'))
  // An initdb whose Chorus process was killed may still be writing there; the next start removes it then.
  for (const name of names) await rm(join(home, name), { recursive: true, force: true }).catch(() => {})
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new Error(`the password of the database cannot be read (${(error as Error).message}); restore that file`)
  }
}

/** The password is on disk before the cluster that needs it; an interrupted start leaves it for the next one. */
async function ensurePassword(file: string): Promise<string> {
  if (existsSync(file)) return readPassword(file)
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${file}.new`, password, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return password
}

/** A cluster restored by root is owned by root, and PostgreSQL refuses to run as root. */
async function takeFromRoot({ cluster, user }: HomeFolder): Promise<void> {
  if (user && (await stat(cluster)).uid === 0) await changeOwnerOfTree(user, cluster)
}

/** Works in a temporary folder and renames it at the end, so that a kill leaves no partial cluster. */
async function createCluster(home: HomeFolder, binaries: Binaries, password: string): Promise<void> {
  const temporary = await mkdtemp(join(home.folder, 'cluster.new-'))
  const files = join(temporary, 'cluster')
  const passwordCopy = join(temporary, 'password')
  await chmod(temporary, 0o711)
  await mkdir(files, { mode: 0o700 })
  await writeFile(passwordCopy, password, { mode: 0o600 })
  await changeOwner(home.user, files)
  await changeOwner(home.user, passwordCopy)
  await runInitdb(binaries.initdb, files, passwordCopy, home)
  await rename(files, home.cluster)
  await rm(temporary, { recursive: true, force: true })
}

/** 24 random bytes can't be guessed: thousands of hash iterations would only slow down every connection. */
const quickLogin = ['--set', 'scram_iterations=1']

async function runInitdb(initdb: string, files: string, passwordCopy: string, home: HomeFolder): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const login = ['--username=chorus', `--pwfile=${passwordCopy}`, '--auth=scram-sha-256']
  const args = [`--pgdata=${files}`, '--data-checksums', '--no-instructions', ...locale, ...login, ...quickLogin]
  try {
    await promisify(execFile)(initdb, args, runAs(home.user, home.folder))
  } catch (error) {
    const { code, message, stderr } = error as NodeJS.ErrnoException & { stderr?: string }
    // The kernel reports ENOENT for a program whose loader is missing.
    const hint = code === 'ENOENT' ? ' (it needs glibc 2.27 or newer; Alpine has none)' : ''
    throw new Error(
      `PostgreSQL's initdb failed in ${files}${hint}: ${stderr?.trim() || message}; or set CHORUS_DATABASE_URL to another server`,
      { cause: error },
    )
  }
}

export type Settings = Readonly<Record<string, string>>

const defaults: Settings = {
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  // Tables that grow at once, by an import for instance, are analyzed soon: until then their statements get poor plans.
  autovacuum_naptime: '15s',
  // After a crash one call syncs everything to disk, where syncing file by file takes seconds; Linux only.
  ...(platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
}

/** The longest socket path that every platform accepts. */
const longestPath = 100

/**
 * Folder of the server's socket, or empty: inside the cluster, which no other user can enter. A round trip takes a fifth less time over a
 * socket than over a port.
 */
export function socketFolder(cluster: string): string {
  const fits = Buffer.byteLength(`${cluster}/.s.PGSQL.65535`) <= longestPath
  return platform !== 'win32' && fits && !/[,"]/.test(cluster) ? cluster : ''
}

/** All settings are passed on the command line, so the files of the cluster stay as initdb wrote them. */
export function serverCommand(cluster: Cluster, port: number, settings: Settings): [program: string, args: string[]] {
  // Reachable from this machine only, whatever the settings say.
  const sockets = { unix_socket_directories: socketFolder(cluster.folder), unix_socket_permissions: '0700' }
  const connection = { listen_addresses: '127.0.0.1', ...sockets, port: String(port) }
  const all = Object.entries({ ...defaults, ...settings, ...connection })
  return [
    cluster.binaries.postgres,
    ['-D', cluster.folder, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
  ]
}
