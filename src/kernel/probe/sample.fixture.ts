import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import type { Probe } from './probe.ts'

/** A file and what it must be found to be: a probe, or words of the sentence it is refused with. */
export type Sample = [name: string, bytes: Buffer, expected: Partial<Probe> | RegExp]

/** A folder in which each file gets a name that tells nothing. */
export async function openShelf() {
  const folder = await temporaryFolder()
  let count = 0
  return {
    async put(bytes: Uint8Array): Promise<string> {
      count += 1
      const path = join(folder.path, `file-${count}.bin`)
      await writeFile(path, bytes)
      return path
    },
    remove: folder.remove,
  }
}
