import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { keyOf } from './key.ts'

/** The ids of which no file was changed since a moment. */
export async function untouched(folder: string, before: Date): Promise<string[]> {
  const touched = new Map<string, number>()
  for (const entry of await readdir(folder).catch(() => [])) {
    const id = keyOf(entry.slice(0, entry.indexOf('.')))
    if (id === undefined) continue
    // What another process has just removed is of no interest any more.
    const found = await stat(join(folder, entry)).catch(() => undefined)
    if (found) touched.set(id, Math.max(touched.get(id) ?? 0, found.mtimeMs))
  }
  return [...touched].filter(([, time]) => time < before.getTime()).map(([id]) => id)
}
