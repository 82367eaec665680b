import { type FileHandle, open, stat, truncate } from 'node:fs/promises'

const maximumBytes = 10 * 1024 * 1024
const tailBytes = 4 * 1024
const tailLines = 15

/** Opens the log for the server to append to, emptied when it has grown large. */
export async function openLog(path: string): Promise<FileHandle> {
  if ((await logSize(path)) > maximumBytes) await truncate(path)
  return open(path, 'a', 0o600)
}

export async function logSize(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}

/** The last lines written since the log had the given size. */
export async function logTail(path: string, since = 0): Promise<string> {
  const end = await logSize(path)
  const begin = Math.max(since, end - tailBytes)
  if (begin >= end) return '(nothing was logged)'
  const log = await open(path)
  try {
    const { buffer } = await log.read(Buffer.alloc(end - begin), 0, end - begin, begin)
    return buffer.toString('utf8').trim().split('\n').slice(-tailLines).join('\n')
  } finally {
    await log.close()
  }
}
