import { createHash, randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Content } from './content.ts'
import { loadStatement } from './copy.ts'
import type { Meter } from './meter.ts'

/** The line that ends a table's rows: COPY doubles every backslash of a value, so that no row can look like it. */
export const endOfRows = '\\.'

/** Writes the backup under a name of its own and gives it the final one when all of it is on the disk. */
export async function writeBackup(file: string, content: Content, meter: Meter) {
  const partial = `${file}.${randomUUID()}.partial`
  try {
    await writeDurably(partial, content, meter)
    await rename(partial, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    throw explained(error as NodeJS.ErrnoException, file)
  }
}

async function writeDurably(partial: string, content: Content, meter: Meter) {
  const handle = await open(partial, 'wx', 0o600)
  try {
    // Twice as fast as the usual level, for a tenth more bytes.
    const gzip = createGzip({ level: 3, chunkSize: 256 * 1024 })
    await pipeline(text(content, meter), gzip, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await handle.appendFile(chunk)
    })
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Between its first and its last line a backup is a script that psql understands. */
async function* text(content: Content, meter: Meter): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (part: Buffer) => {
    hash.update(part)
    return part
  }
  yield hashed(line(JSON.stringify(content.header)))
  for await (const { table, chunks } of content.sections(meter)) {
    yield hashed(line(`${loadStatement(table)};`))
    for await (const chunk of chunks) yield hashed(chunk)
    yield hashed(line(endOfRows))
  }
  yield line(JSON.stringify({ rows: Object.fromEntries(meter.rows), sha256: hash.digest('hex') }))
}

function line(content: string): Buffer {
  return Buffer.from(`${content}\n`)
}

/** A new name lasts when its folder is on the disk; some systems cannot open folders, and see to it themselves. */
async function syncFolder(folder: string) {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'its folder does not exist',
}

function explained(error: NodeJS.ErrnoException, file: string): Error {
  if (!error.syscall) return error
  const reason = reasons[error.code ?? ''] ?? error.message
  return new Error(`The backup ${file} could not be written: ${reason}.`, { cause: error })
}
