import { createHash } from 'node:crypto'
import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '../errors.ts'
import { makeFolder, syncFolder } from './durable.ts'
import { readRange, refuseRange } from './file-range.ts'
import { fileNameOf } from './key.ts'
import { claimFile, hasRival } from './spool-claim.ts'
import { appendTo, cutTo, type SpoolFile, safeSize } from './spool-file.ts'
import { untouched } from './spool-list.ts'

/** Files that are still arriving, always on the local disk. Ids are made by the service, never by a user. */
export interface Spool {
  /** How many bytes are safely there; nothing there is 0. What was written but not made safe does not count. */
  size(id: string): Promise<number>
  /**
   * Writes at exactly this offset and makes it durable before it gives the new size. Refuses a gap, going beyond `most`,
   * and a second writer at the same time; whatever fails, the file is afterwards as it was before.
   */
  append(id: string, offset: number, source: AsyncIterable<Uint8Array>, most: number): Promise<number>
  /** Makes the file shorter. */
  truncate(id: string, size: number): Promise<void>
  /** StoredFileMissing when there is none. */
  read(id: string, from?: number, to?: number): AsyncIterable<Uint8Array>
  /** SHA-256 in hex of the whole file. */
  digest(id: string): Promise<string>
  remove(id: string): Promise<void>
  /** Ids nobody has written to since a moment, for housekeeping. */
  stale(before: Date): Promise<string[]>
  /** Free bytes on the disk it lies on. */
  free(): Promise<number>
  /** Where the file lies, for programs that read files; only to be read. */
  path(id: string): string
}

export function openSpool(folder: string): Spool {
  const fileOf = (id: string): SpoolFile => {
    const name = fileNameOf(id)
    return { id, name, folder, content: join(folder, `${name}.part`), record: join(folder, `${name}.size`) }
  }
  const alone = async <Result>(file: SpoolFile, act: (size: number) => Promise<Result>): Promise<Result> => {
    await makeFolder(folder)
    const release = await claimFile(folder, file.name)
    return safeSize(file).then(act).finally(release)
  }
  async function* read(id: string, from = 0, to = Number.POSITIVE_INFINITY) {
    refuseRange(from, to)
    const file = fileOf(id)
    const size = await safeSize(file)
    yield* readRange(file.content, id, Math.min(from, size), Math.min(to, size))
  }
  return {
    size: async (id) => safeSize(fileOf(id)),
    async append(id, offset, source, most) {
      const file = fileOf(id)
      return alone(file, async (size) => {
        if (offset !== size) throw conflict(`The file continues at byte ${size}, not at byte ${offset}.`)
        return appendTo(file, size, source, most)
      })
    },
    async truncate(id, wanted) {
      const file = fileOf(id)
      await alone(file, async (size) => {
        if (wanted > size) throw conflict(`The file has ${size} bytes; it cannot be cut to ${wanted}.`)
        await cutTo(file, wanted)
      })
    },
    read,
    async digest(id) {
      const hash = createHash('sha256')
      for await (const chunk of read(id)) hash.update(chunk)
      return hash.digest('hex')
    },
    async remove(id) {
      const file = fileOf(id)
      await rm(file.content, { force: true })
      await rm(file.record, { force: true })
      // Only for what dead processes have left; a living writer finds its file gone and stops.
      await hasRival(folder, file.name).catch(() => false)
      await syncFolder(folder)
    },
    stale: (before) => untouched(folder, before),
    async free() {
      await makeFolder(folder)
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    path: (id) => fileOf(id).content,
  }
}
