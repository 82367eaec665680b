import { constants, type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { conflict, Refusal } from '../errors.ts'
import { explained, syncFolder, unlessMissing, writeAll } from './durable.ts'

export interface SpoolFile {
  id: string
  /** What the names of all its files begin with. */
  name: string
  folder: string
  content: string
  /** Says how many bytes of the content are certain. */
  record: string
}

/** The bytes that are certain: those recorded after they were on the disk, as far as the file still has them. */
export async function safeSize({ content, record }: SpoolFile): Promise<number> {
  const recorded = await readRecord(record)
  if (recorded === 0) return 0
  const found = await stat(content).catch(unlessMissing)
  return Math.min(recorded, found?.size ?? 0)
}

/** Adds what the source gives behind the bytes that are certain; gives the new size. */
export async function appendTo(
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
export async function cutTo(file: SpoolFile, size: number): Promise<void> {
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
