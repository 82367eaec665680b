import { createHash } from 'node:crypto'
import { constants, type FileHandle, open, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identifyProcess, isRunning } from '../database/embedded/process-identity.ts'
import { conflict, Refusal } from '../errors.ts'
import { explained, makeFolder, readRange, refuseRange, syncFolder, unlessMissing, writeAll } from './durable-files.ts'
import { fileNameOf, keyOf, type Store } from './store.ts'

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

interface SpoolFile {
  id: string
  /** What the names of all its files begin with. */
  name: string
  folder: string
  content: string
  /** Says how many bytes of the content are certain. */
  record: string
}

/** The bytes that are certain: those recorded after they were on the disk, as far as the file still has them. */
async function safeSize({ content, record }: SpoolFile): Promise<number> {
  const recorded = await readRecord(record)
  if (recorded === 0) return 0
  const found = await stat(content).catch(unlessMissing)
  return Math.min(recorded, found?.size ?? 0)
}

/** Adds what the source gives behind the bytes that are certain; gives the new size. */
async function appendTo(
  file: SpoolFile,
  size: number,
  source: AsyncIterable<Uint8Array>,
  most: number,
): Promise<number> {
  if (size > most) throw tooLarge(most)
  const handle = await open(file.content, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    await restore(file, handle, size)
    let at = size
    for await (const chunk of source) {
      if (at + chunk.length > most) throw tooLarge(most)
      await writeAll(handle, chunk, at)
      at += chunk.length
    }
    await handle.sync()
    if (!(await isStill(handle, file.content))) throw conflict('The file was removed while a piece of it arrived.')
    await writeRecord(file.record, at)
    if (size === 0) await syncFolder(file.folder)
    return at
  } catch (error) {
    await handle.truncate(size).catch(() => {})
    throw explained(error, file.id)
  } finally {
    await handle.close()
  }
}

/** Makes the file this long; the caller knows that it is not shorter. */
async function cutTo(file: SpoolFile, size: number): Promise<void> {
  const handle = await open(file.content, 'r+').catch(unlessMissing)
  if (!handle) return
  try {
    // First the record: bytes it does not count are never given to anybody.
    await writeRecord(file.record, size)
    await handle.truncate(size)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Takes away what a crash has left: bytes never recorded, or a record of bytes that are gone. */
async function restore(file: SpoolFile, handle: FileHandle, size: number) {
  if ((await handle.stat()).size !== size) await handle.truncate(size)
  if ((await readRecord(file.record)) !== size) await writeRecord(file.record, size)
}

async function readRecord(path: string): Promise<number> {
  const text = (await readFile(path, 'latin1').catch(unlessMissing)) ?? ''
  return recordForm.test(text) ? Number(text) : 0
}

/** Always as long and in one sector of the disk, so that it is the old one or the new one. */
async function writeRecord(path: string, size: number) {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    await writeAll(handle, Buffer.from(String(size).padStart(recordLength, '0')), 0)
    await handle.truncate(recordLength)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const recordLength = 16
const recordForm = /^\d{16}$/

async function isStill(handle: FileHandle, path: string): Promise<boolean> {
  const [opened, named] = await Promise.all([handle.stat(), stat(path).catch(unlessMissing)])
  return named?.ino === opened.ino
}

const tooLarge = (most: number) =>
  new Refusal('tooLarge', `The file is larger than the ${most} bytes it may have; send a smaller one.`)

const claimedHere = new Set<string>()

/**
 * Makes the caller the only one who writes a file, among all processes on this machine, and returns the function that
 * lets it go. Each claimant leaves a file of its own and withdraws when it then sees a living rival, so two never both win.
 */
async function claimFile(folder: string, name: string): Promise<() => Promise<void>> {
  const path = join(folder, name)
  const claim = `${path}.claim-${process.pid}-${await ownBeginning()}`
  if (claimedHere.has(path)) throw busy()
  claimedHere.add(path)
  const release = async () => {
    // First the file: another claim of this process would have the same.
    await rm(claim, { force: true }).finally(() => claimedHere.delete(path))
  }
  try {
    await writeFile(claim, '', { mode: 0o600 })
    if (await hasRival(folder, name)) throw busy()
    return release
  } catch (error) {
    await release()
    throw error
  }
}

/** Whether another process that lives has claimed the file; claims of dead ones are removed on the way. */
async function hasRival(folder: string, name: string): Promise<boolean> {
  const start = `${name}.claim-`
  for (const entry of (await readdir(folder)).filter((entry) => entry.startsWith(start))) {
    const [, pid, began] = /^(\d+)-(.+)$/.exec(entry.slice(start.length)) ?? []
    if (!pid || !began || (Number(pid) === process.pid && began === (await ownBeginning()))) continue
    if (await isRunning({ pid: Number(pid), began })) return true
    await rm(join(folder, entry), { force: true })
  }
  return false
}

let known: Promise<string> | undefined

function ownBeginning(): Promise<string> {
  known ??= identifyProcess(process.pid).then((self) => self?.began ?? 'unknown')
  return known
}

const busy = () => conflict('Another piece of this file is being written; wait until it is done, then continue.')

/** The ids of which no file was changed since a moment. */
async function untouched(folder: string, before: Date): Promise<string[]> {
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

/** Puts a complete file of the spool into the store, and only then removes it from the spool; doing it again does no harm. */
export async function moveFromSpool(store: Store, spool: Spool, id: string, key: string, type: string): Promise<void> {
  const size = await spool.size(id)
  // A crash after the move and before anybody wrote that down.
  const done = size === 0 && (await store.size(key)) !== undefined
  if (!done) {
    // Bytes that were never recorded must not move along.
    await spool.truncate(id, size)
    const adopted = await store.adopt?.(key, spool.path(id))
    if (!adopted) await store.put(key, spool.read(id), size, type)
  }
  await spool.remove(id)
}
