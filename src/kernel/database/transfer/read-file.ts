import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { openByteSource } from './byte-source.ts'
import type { Content, Section } from './content.ts'
import { loadStatement } from './copy.ts'
import type { Header } from './header.ts'
import type { Meter } from './meter.ts'
import { endOfRows } from './write-file.ts'

const chunkSize = 256 * 1024
const knownFormat = 1

/** Opens a backup; its sections fail, at the latest at their end, when a single byte is not as it was written. */
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
