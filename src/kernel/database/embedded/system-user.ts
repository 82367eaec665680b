import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface SystemUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
}

/** PostgreSQL refuses to run as root, so root lends it another user; anybody else runs it directly (undefined). */
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

/** Whether the user may enter the path (or execute it) and all folders above it; the path must hold no symlink. */
export async function canReach(user: SystemUser, path: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  if (((mode >> shift) & 1) === 0) return false
  return dirname(path) === path || canReach(user, dirname(path))
}

export async function giveTo(user: SystemUser | undefined, path: string): Promise<void> {
  if (user) await chown(path, user.uid, user.gid).catch(explainRefusal(user))
}

/** The folder itself comes last, so that an interrupted run is seen and repeated. */
export async function giveTreeTo(user: SystemUser, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await giveTreeTo(user, path)
    else await lchown(path, user.uid, user.gid).catch(explainRefusal(user))
  }
  await giveTo(user, folder)
}

/** Options for child_process; the environment is built anew so that no PG… variable of the caller leaks in. */
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
