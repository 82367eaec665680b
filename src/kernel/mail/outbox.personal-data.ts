import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataSubject, traitsOf, withoutTraits } from '../personal-data.ts'

/** Nobody writes letters as long as this. */
const longestLetter = 1024 * 1024

/** Takes what tells who somebody is out of the letters that lie in the outbox; those that were sent are with whoever got them. */
export async function forgetInOutbox(folder: string, person: DataSubject): Promise<void> {
  const traits = traitsOf(person)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const file = join(folder, name)
    if (!name.endsWith('.eml') || (await sizeOf(file)) > longestLetter) continue
    const letter = await readFile(file, 'utf8').catch(() => '')
    const left = withoutTraits(letter, traits)
    if (left === letter) continue
    // Whole or not at all, whenever the process ends.
    await writeFile(`${file}.tmp`, left, { mode: 0o600 })
    await rename(`${file}.tmp`, file).catch(() => rm(`${file}.tmp`, { force: true }))
  }
}

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0
