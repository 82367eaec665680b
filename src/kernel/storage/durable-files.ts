import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { StoredFileMissing } from './store.ts'

/** Creates a folder and its parents, accessible to the service only, and makes them durable. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(folder); made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** A new name is durable once its folder is synced; some systems can't open folders and do this themselves. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** Writes every byte: a single write may be partial. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
  }
}

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code

/** Returns undefined for a missing file and rethrows any other error. */
export function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** Explains a disk error; other errors are returned unchanged. */
export function explained(error: unknown, file: string): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).syscall ? (codeOf(error) ?? '') : '']
  return reason ? new Error(`The file ${file} could not be written: ${reason}.`, { cause: error }) : error
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full; make room on it',
  EDQUOT: 'the disk quota is used up; raise it or make room',
  EACCES: 'the service may not write to its folder; give it the right to',
  EPERM: 'the service may not write to its folder; give it the right to',
  EROFS: 'the disk can only be read; mount it for writing',
  EIO: 'the disk reports an error; check it',
}

const chunkBytes = 256 * 1024

/** The bytes of a file in a range; bytes beyond its end are omitted. */
export async function* readRange(path: string, key: string, from: number, to: number): AsyncGenerator<Buffer> {
  refuseRange(from, to)
  const handle = await open(path, 'r').catch((error) => {
    throw codeOf(error) === 'ENOENT' ? new StoredFileMissing(key) : error
  })
  try {
    const end = Math.min(to, (await handle.stat()).size)
    for (let at = from; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - at))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) throw new Error(`The file ${key} became shorter while it was being read.`)
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
}

/** The end may be open: infinity. */
export function refuseRange(from: number, to: number): void {
  const whole = (position: number) => Number.isSafeInteger(position) && position >= 0
  if (whole(from) && (whole(to) || to === Number.POSITIVE_INFINITY) && from <= to) return
  throw new Error(`A file cannot be read from byte ${from} to byte ${to}.`)
}
