import { open } from 'node:fs/promises'
import { codeOf } from './durable.ts'
import { StoredFileMissing } from './store.ts'

const chunkBytes = 256 * 1024

/** The bytes of a file from one position to another; what lies behind its end is not there. */
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
