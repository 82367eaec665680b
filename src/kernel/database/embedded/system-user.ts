import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, lchown, mkdir, readdir, readFile, readlink, realpath, stat, symlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface SystemUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
}

/** PostgreSQL refuses to run as root, so root runs it as another user; any other user runs it directly (undefined). */
export async function findServerUser(cluster: string): Promise<SystemUser | undefined> {
  const owner = (await stat(cluster).catch(() => undefined))?.uid
  const self = process.getuid?.()
  if (self === undefined) return undefined
  if (self !== 0) {
    if (owner === undefined || owner === self) return undefined
    throw new Error(`the database in ${cluster} belongs to user id ${owner}; start as that user or as root`)
  }
  const users = await readUsers()
  const found = owner ? users.find((user) => user.uid === owner) : pickUnprivileged(users)
  if (found) return found
  throw new Error(
    owner
      ? `the database in ${cluster} belongs to user id ${owner}, which has no name here; chown it to the user postgres`
      : 'PostgreSQL refuses to run as root and there is no user postgres or nobody; create one, start as another user, or set CHORUS_DATABASE_URL',
  )
}

/** Whether the user may enter (or execute) the path and enter all folders above it; the path must contain no symlink. */
export async function canReach(user: SystemUser, path: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  if (((mode >> shift) & 1) === 0) return false
  return dirname(path) === path || canReach(user, dirname(path))
}

export async function changeOwner(user: SystemUser | undefined, path: string): Promise<void> {
  if (user) await chown(path, user.uid, user.gid).catch(explainRefusal(user))
}

/** The folder itself comes last, so that an interrupted run is detected and repeated. */
export async function changeOwnerOfTree(user: SystemUser, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await changeOwnerOfTree(user, path)
    else await lchown(path, user.uid, user.gid).catch(explainRefusal(user))
  }
  await changeOwner(user, folder)
}

/** Options for child_process. The environment is built from scratch so that no PG… variable of the caller leaks in. */
export function runAs(user: SystemUser | undefined, cwd: string) {
  const env = { LC_ALL: 'C', TZ: 'UTC', HOME: user?.home ?? homedir(), PATH: '/usr/bin:/bin' }
  // Node also drops the supplementary groups of root when it is given a user id.
  return { cwd, windowsHide: true, ...(process.platform !== 'win32' && { env }), ...(user && pickIds(user)) }
}

async function readUsers(): Promise<SystemUser[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  return lines.flatMap((line) => {
    const [name, , uid, gid, , home] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid), home: home || '/' }] : []
  })
}

function pickUnprivileged(users: SystemUser[]): SystemUser | undefined {
  const names = ['postgres', '_postgres', 'nobody']
  return names.flatMap((name) => users.filter((user) => user.name === name && user.uid > 0))[0]
}

function explainRefusal(user: SystemUser) {
  return (error: Error) => {
    throw new Error(
      `root may not hand files to the user ${user.name} here (${error.message}); start as an ordinary user, or set CHORUS_DATABASE_URL`,
      { cause: error },
    )
  }
}

function pickIds({ uid, gid }: SystemUser) {
  return { uid, gid }
}

/** Folder of the cluster, password, log and owner claim, and the user the server runs under (undefined: our own). */
export interface HomeFolder {
  readonly folder: string
  readonly cluster: string
  readonly user: SystemUser | undefined
}

/** Home of clusters whose own folder the server's user can't enter. */
export const machineFolder = '/var/lib/chorus'

/** The requested folder itself, or the target of its `location` link if the server's user can't reach it. */
export async function findHomeFolder(wanted: string, report: (line: string) => void): Promise<HomeFolder> {
  await makeFolder(wanted)
  const folder = await realpath(wanted)
  const link = join(folder, 'location')
  const known = await readlink(link).catch(() => undefined)
  if (known) return openHome(known, link)

  const home = await describe(folder)
  if (!home.user || (await canReach(home.user, folder))) return home
  if (existsSync(home.cluster)) {
    throw new Error(unreachable(home.user, folder))
  }
  const target = await makeMachineHome(folder)
  if (!(await canReach(home.user, target))) throw new Error(unreachable(home.user, target))
  await symlink(target, link).catch(ignoreExisting)
  report(`the user ${home.user.name} cannot enter ${folder}, so the database lies in ${target}`)
  return openHome(await readlink(link), link)
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true })
  // A strict umask of root would close the folder to the server's user.
  if (made && process.getuid?.() === 0) await chmod(folder, 0o755)
}

async function openHome(target: string, link: string): Promise<HomeFolder> {
  if (existsSync(target)) return describe(await realpath(target))
  throw new Error(`the database at ${target} is gone; restore it, or delete ${link} to begin with an empty one`)
}

async function describe(folder: string): Promise<HomeFolder> {
  const cluster = join(folder, 'cluster')
  return { folder, cluster, user: await findServerUser(cluster) }
}

function unreachable(user: SystemUser, folder: string): string {
  return `the database server runs as the user ${user.name}, who cannot enter ${folder}; open it and the folders above it (chmod o+x), or start as the user who owns them`
}

async function makeMachineHome(folder: string): Promise<string> {
  await makeFolder(machineFolder)
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  let target = join(machineFolder, name)
  // A cluster without a link belongs to a deleted data folder: it is neither reused nor destroyed.
  for (let next = 2; existsSync(join(target, 'cluster')); next++) target = join(machineFolder, `${name}-${next}`)
  await makeFolder(target)
  return target
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
