import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { csvLine } from '#kernel/csv.ts'
import { inLaterIteration } from '#kernel/event-loop/event-loop-time.ts'
import type { Files } from '#kernel/installation.ts'
import type { JobContext } from '#kernel/jobs/job.ts'
import { readEach, skipRow } from '#kernel/skipped-rows.ts'
import { moveFromSpool } from '#kernel/storage/spool.ts'
import { zipType } from '../destination/destination.ts'
import { columns } from '../row-shape.ts'
import { type Cursor, type ExportType, sources } from '../row-sources.ts'
import type { TimeRange } from '../schedule.ts'

export interface Written {
  rows: number
  /** Skipped rows. */
  unreadable: number
  bytes: number
  digest: string
}

interface TableRequest extends TimeRange {
  accountId: string
  type: ExportType
}

/** The limit of spreadsheets, and near that of plain archives. */
const rowsPerTable = 1_000_000
const mostBytes = 4 * 2 ** 30
/** Rows formatted per event loop turn: a millisecond or two. */
const rowsPerTurn = 50

/**
 * Writes a zipped table of a range into the store. Rows are read in batches: rows after the end of the range aren't included, and
 * each row is as of its batch.
 */
export async function writeFile(
  job: JobContext,
  { store, spool }: Files,
  request: TableRequest,
  key: string,
): Promise<Written> {
  const zip = new ZipFile()
  const written = { rows: 0, unreadable: 0, bytes: 0, digest: '' }
  const output = zip.outputStream as Readable
  // The archive doesn't end by itself on an error of one of its files.
  zip.on('error', (error: Error) => output.destroy(error))
  const filling = fill(zip, job, request, written).catch((error) => output.destroy(error as Error))
  const hash = createHash('sha256')
  const source = async function* () {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
    }
  }
  // Left over from a previous attempt.
  await spool.remove(key)
  const bytes = await spool.append(key, 0, source(), mostBytes)
  await filling
  await moveFromSpool(store, spool, key, key, zipType)
  return { ...written, bytes, digest: hash.digest('hex') }
}

async function fill(zip: ZipFile, job: JobContext, request: TableRequest, written: Written) {
  const pieces = linesOf(job, request, written)
  const name = request.type.toLowerCase()
  let next = await pieces.next()
  for (let part = 1; part === 1 || !next.done; part++) {
    const table = async function* () {
      yield csvLine(columns[request.type].names)
      for (let lines = 0; !next.done && lines < rowsPerTable; next = await pieces.next()) {
        lines += next.value.length
        yield next.value.join('')
      }
    }
    const stream = Readable.from(bytesOf(table()), { objectMode: false })
    zip.addReadStream(stream, part === 1 ? `${name}.csv` : `${name}-${part}.csv`, { mtime: request.ends })
    await finished(stream)
  }
  zip.end()
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) yield Buffer.from(text)
}

/** Lines of the table in batches. */
async function* linesOf(job: JobContext, request: TableRequest, written: Written): AsyncGenerator<string[]> {
  const { accountId, type, starts, ends } = request
  const { cellsOf } = columns[type]
  let after: Cursor | undefined
  do {
    job.signal.throwIfAborted()
    const from: Cursor | undefined = after
    const piece = await job.transaction(accountId, (context) => sources[type](context, { starts, ends }, from))
    for (let start = 0; start < piece.rows.length; start += rowsPerTurn) {
      const lines = readEach(
        piece.rows.slice(start, start + rowsPerTurn),
        (row) => csvLine(cellsOf(row)),
        (row, error) => {
          written.unreadable++
          skipRow(job.log, { kind: type, id: String((row as { id?: unknown }).id) }, error)
        },
      )
      written.rows += lines.length
      if (lines.length > 0) yield lines
      await new Promise<void>((resolve) => inLaterIteration(accountId, resolve))
    }
    after = piece.after
  } while (after)
}
