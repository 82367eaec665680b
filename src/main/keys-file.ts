import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newKeyring } from '#kernel/secrets/keyring.ts'

/** The keyring of this installation: from the settings, else from the data folder, else made there now. */
export async function keyringText(given: string | undefined, dataDir: string): Promise<string> {
  if (given) return given
  const file = join(dataDir, 'secret-keys')
  await mkdir(dataDir, { recursive: true })
  try {
    await writeFile(file, `${newKeyring()}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}
