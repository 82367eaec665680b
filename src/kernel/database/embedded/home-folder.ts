import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readlink, realpath, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { canReach, findServerUser, type SystemUser } from './system-user.ts'

/** Where cluster, password, log and owner claim lie, and the user the server runs under (undefined: our own). */
export interface HomeFolder {
  readonly folder: string
  readonly cluster: string
  readonly user: SystemUser | undefined
}

/** The home for clusters whose own folder the server's user cannot enter. */
export const machineFolder = '/var/lib/chorus'

/** The wanted folder itself, or the place its `location` link names when the server's user cannot reach it. */
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
  const place = await makeMachineHome(folder)
  if (!(await canReach(home.user, place))) throw new Error(unreachable(home.user, place))
  await symlink(place, link).catch(ignoreExisting)
  report(`the user ${home.user.name} cannot enter ${folder}, so the database lies in ${place}`)
  return openHome(await readlink(link), link)
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true })
  // A strict umask of root would close the folder to the server's user.
  if (made && process.getuid?.() === 0) await chmod(folder, 0o755)
}

async function openHome(place: string, link: string): Promise<HomeFolder> {
  if (existsSync(place)) return describe(await realpath(place))
  throw new Error(`the database at ${place} is gone; restore it, or delete ${link} to begin with an empty one`)
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
  let place = join(machineFolder, name)
  // A cluster without a link to it was left by a data folder since deleted: it is neither shown again nor destroyed.
  for (let next = 2; existsSync(join(place, 'cluster')); next++) place = join(machineFolder, `${name}-${next}`)
  await makeFolder(place)
  return place
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
