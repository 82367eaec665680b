import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

/** A folder that the unprivileged user of a database server may enter too, when the tests run as root. */
export async function temporaryFolder(within = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(within, 'chorus-'))
  await chmod(path, 0o755)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

const inMemory = '/dev/shm'
/** The log of a server alone may take one gigabyte, and each copy of the demo takes 20 megabytes. */
const plenty = 4 * 1024 ** 3

/** The same in memory where there is plenty: making and removing thousands of small files is much work for a disk. */
export async function quickFolder(): Promise<TemporaryFolder> {
  const room = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return room < plenty || freemem() < plenty
    ? temporaryFolder()
    : temporaryFolder(inMemory).catch(() => temporaryFolder())
}
