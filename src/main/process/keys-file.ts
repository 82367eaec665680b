import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Keyring, newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import type { Settings } from '../settings/settings.ts'

type Place = Pick<Settings, 'secretKeys' | 'dataDir'>

/** The keyring of this installation: from the settings, otherwise from the data folder, where keys can be added at any time. */
export async function openKeyring({ secretKeys, dataDir }: Place): Promise<Keyring> {
  const text = await keyringText(secretKeys, dataDir)
  return secretKeys ? readKeyring(text) : readKeyring(text, () => readFileSync(keysFile(dataDir), 'utf8'))
}

/** From the settings, otherwise from the data folder, where it is created if missing. */
export async function keyringText(given: string | undefined, dataDir: string): Promise<string> {
  if (given) return given
  const file = keysFile(dataDir)
  await mkdir(dataDir, { recursive: true })
  try {
    await writeFile(file, `${newKeyring()}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}

/** Replaces the keys atomically: after a crash the file holds either the old or the new ones. */
export async function replaceKeys(dataDir: string, text: string) {
  const file = keysFile(dataDir)
  const { uid, gid } = await stat(file)
  const temporary = `${file}.${process.pid}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(`${text}\n`)
    // If run as root, the file must stay readable for the service.
    if (process.getuid?.() === 0) await handle.chown(uid, gid)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  await syncFolder(dirname(file))
}

export const keysChanged = async (dataDir: string) => (await stat(keysFile(dataDir))).mtime

const keysFile = (dataDir: string) => join(dataDir, 'secret-keys')

async function syncFolder(folder: string) {
  // Windows can't open folders.
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
