import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Keyring, newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import type { Settings } from '../settings/settings.ts'

type Place = Pick<Settings, 'secretKeys' | 'dataDir'>

/** The keyring of this installation: from the settings, else from the data folder, where keys may be added any time. */
export async function openKeyring({ secretKeys, dataDir }: Place): Promise<Keyring> {
  const text = await keyringText(secretKeys, dataDir)
  return secretKeys ? readKeyring(text) : readKeyring(text, () => readFileSync(keysFile(dataDir), 'utf8'))
}

/** From the settings, else from the data folder, else made there now. */
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

/** Puts other keys into the file. Whenever the machine stops, it holds either the old ones or the new ones. */
export async function replaceKeys(dataDir: string, text: string) {
  const file = keysFile(dataDir)
  const { uid, gid } = await stat(file)
  const temporary = `${file}.${process.pid}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(`${text}\n`)
    // An operator who is root must not take the file away from the service.
    if (process.getuid?.() === 0) await handle.chown(uid, gid)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  await syncFolder(dirname(file))
}

/** When the keys in the file were last changed. */
export const keysChanged = async (dataDir: string) => (await stat(keysFile(dataDir))).mtime

const keysFile = (dataDir: string) => join(dataDir, 'secret-keys')

async function syncFolder(folder: string) {
  // Windows has no such thing as opening a folder.
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
