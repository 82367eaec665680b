import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

/** A folder that the unprivileged database user can access when the tests run as root. */
export async function temporaryFolder(within = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(within, 'chorus-'))
  await chmod(path, 0o755)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

const inMemory = '/dev/shm'
/** The WAL may take 1 GB, and each copy of the demo takes 20 MB. */
const plenty = 4 * 1024 ** 3

/** In memory if there is enough: creating and removing thousands of small files is slow on disk. */
export async function quickFolder(): Promise<TemporaryFolder> {
  const room = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return room < plenty || freemem() < plenty
    ? temporaryFolder()
    : temporaryFolder(inMemory).catch(() => temporaryFolder())
}
