import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream'
import { pipeline as pipeThrough } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Header } from './catalogue.ts'
import type { Content, Meter, Section } from './content.ts'
import { loadStatement } from './load.ts'

const lineEnd = 10
/** More than any header needs; a wrong file without line breaks must not fill the memory. */
const maximumLine = 64 * 1024 * 1024

/** Reads lines and rows from a stream of bytes. */
export interface ByteSource {
  line(): Promise<string>
  /** Everything before the line that equals the marker; consumes that line too. */
  until(marker: string): AsyncGenerator<Buffer>
  /** Rejects if anything follows. */
  end(): Promise<void>
}

function openByteSource(chunks: AsyncIterator<Buffer>, damaged: (reason: string) => Error): ByteSource {
  let rest: Buffer = Buffer.alloc(0)

  const readMore = async () => {
    const { done, value } = await chunks.next()
    if (done) throw damaged('it ends early')
    rest = value
  }

  return {
    async line() {
      const parts: Buffer[] = []
      for (let length = 0; length < maximumLine; length += rest.length) {
        const at = rest.indexOf(lineEnd)
        if (at !== -1) {
          parts.push(rest.subarray(0, at))
          rest = rest.subarray(at + 1)
          return Buffer.concat(parts).toString()
        }
        parts.push(rest)
        await readMore()
      }
      throw damaged('a line is too long')
    },

    async *until(marker) {
      const end = Buffer.from(`\n${marker}\n`)
      // A line break is prepended so that the marker of an empty table is found the same way.
      let window = Buffer.concat([Buffer.from('\n'), rest])
      let skip = 1
      for (;;) {
        const at = window.indexOf(end)
        if (at !== -1) {
          rest = window.subarray(at + end.length)
          if (at + 1 > skip) yield window.subarray(skip, at + 1)
          return
        }
        // The last bytes wait for more, because the marker may be split.
        const ready = window.length - end.length + 1
        if (ready > skip) {
          yield window.subarray(skip, ready)
          window = window.subarray(ready)
          skip = 0
        }
        await readMore()
        window = Buffer.concat([window, rest])
      }
    },

    async end() {
      const { done } = await chunks.next()
      if (!done || rest.length > 0) throw damaged('something follows its end')
    },
  }
}

const chunkSize = 256 * 1024
const knownFormat = 1

/** Opens a backup; its sections reject, at the latest at their end, if a single byte has changed. */
export async function withBackup<Result>(file: string, work: (content: Content) => Promise<Result>): Promise<Result> {
  const gunzip = createGunzip({ chunkSize })
  // Errors of the file arrive through gunzip.
  pipeline(createReadStream(file, { highWaterMark: chunkSize }), gunzip, () => {})
  const source = openByteSource(unpacked(file, gunzip), (reason) => damaged(file, reason))
  const hash = createHash('sha256')
  const hashedLine = async () => {
    const line = await source.line()
    hash.update(`${line}\n`)
    return line
  }

  async function* sections(header: Header, meter: Meter): AsyncGenerator<Section> {
    for (const table of header.tables) {
      if ((await hashedLine()) !== `${loadStatement(table)};`)
        throw damaged(file, `${table.name} is not where it should be`)
      yield { table, chunks: meter.count(table, rows()) }
    }
    const trailer = parse<Trailer>(await source.line())
    await source.end()
    if (trailer?.sha256 !== hash.digest('hex')) throw damaged(file, 'its checksum is wrong')
    const wrong = header.tables.find(({ name }) => trailer.rows[name] !== meter.rows.get(name))
    if (wrong) throw damaged(file, `the table ${wrong.name} has ${meter.rows.get(wrong.name)} rows`)
  }

  async function* rows() {
    for await (const chunk of source.until(endOfRows)) {
      hash.update(chunk)
      yield chunk
    }
    hash.update(`${endOfRows}\n`)
  }

  try {
    const header = readHeader(file, await hashedLine())
    return await work({ header, sections: (meter) => sections(header, meter) })
  } finally {
    gunzip.destroy()
  }
}

interface Trailer {
  rows: Record<string, number>
  sha256: string
}

async function* unpacked(file: string, gunzip: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = false
  try {
    for await (const chunk of gunzip) {
      begun = true
      yield chunk
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('Z_')) throw new Error(`The backup ${file} cannot be read: ${message}`, { cause: error })
    throw begun ? damaged(file, message, error) : notBackup(file, error)
  }
  if (!begun) throw notBackup(file)
}

function readHeader(file: string, line: string): Header {
  const header = parse<Header>(line)
  if (header?.format !== 'chorus-backup') throw notBackup(file)
  if (header.formatVersion > knownFormat) {
    throw new Error(`The backup ${file} was made by Chorus ${header.version}, which is newer. Start that version.`)
  }
  return header
}

function parse<Value>(line: string): Value | undefined {
  try {
    return JSON.parse(line) as Value
  } catch {
    return undefined
  }
}

function notBackup(file: string, cause?: unknown): Error {
  return new Error(`The file ${file} is not a backup of Chorus.`, { cause })
}

function damaged(file: string, reason: string, cause?: unknown): Error {
  return new Error(`The backup ${file} is damaged: ${reason}. Nothing was restored; use another backup.`, { cause })
}

/** The line that ends a table's rows: COPY doubles every backslash in a value, so no row can equal it. */
const endOfRows = '\\.'

/** Writes the backup under a temporary name and renames it once it is completely on disk. */
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
    // Twice as fast as the default level, for a tenth more bytes.
    const gzip = createGzip({ level: 3, chunkSize: 256 * 1024 })
    await pipeThrough(text(content, meter), gzip, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await handle.appendFile(chunk)
    })
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Between its first and last line a backup is a valid psql script. */
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

/** A rename is durable once its folder is synced; some systems can't open folders and do this themselves. */
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
