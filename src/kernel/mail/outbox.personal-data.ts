import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataSubject, traitsOf, withoutTraits } from '../personal-data.ts'

/** Larger files are not emails of the service. */
const longestLetter = 1024 * 1024

/** Removes a person's identifying strings from the emails in the outbox; emails that were sent can't be changed. */
export async function forgetInOutbox(folder: string, person: DataSubject): Promise<void> {
  const traits = traitsOf(person)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const file = join(folder, name)
    if (!name.endsWith('.eml') || (await sizeOf(file)) > longestLetter) continue
    const letter = await readFile(file, 'utf8').catch(() => '')
    const left = withoutTraits(letter, traits)
    if (left === letter) continue
    // Atomic, even if the process ends in between.
    await writeFile(`${file}.tmp`, left, { mode: 0o600 })
    await rename(`${file}.tmp`, file).catch(() => rm(`${file}.tmp`, { force: true }))
  }
}

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0
