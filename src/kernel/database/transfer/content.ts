import type { Header, Table } from './catalogue.ts'

/** The rows of one table as COPY text; must be read to its end before the next section. */
export interface Section {
  table: Table
  chunks: AsyncIterable<Buffer>
}

/** A whole database from any source; sections reject if they don't match the source's header. */
export interface Content {
  header: Header
  sections(meter: Meter): AsyncIterable<Section>
}

export interface Summary {
  /** The version that was backed up or moved, not the one that restores it. */
  version: string
  date: string
  /** Rows by table, in the order they were copied. */
  tables: Record<string, number>
  rows: number
  /** Size of the rows as text, before compression. */
  bytes: number
}

export function summarize({ header }: Content, meter: Meter): Summary {
  const { version, date } = header
  return { version, date, tables: Object.fromEntries(meter.rows), rows: meter.totalRows(), bytes: meter.totalBytes() }
}

export type Step = 'back up' | 'check' | 'load' | 'move'

export interface Progress {
  step: Step
  table: string
  /** Counts from 1, so the last one equals `tables`. */
  tableIndex: number
  tables: number
  /** Rows of all tables so far, to be compared with `totalRowsEstimate`. */
  rows: number
  bytes: number
  /** Becomes exact as tables are finished: at the end it equals `rows`. */
  totalRowsEstimate: number
}

export type ProgressListener = (progress: Progress) => void

export interface Meter {
  /** Passes the rows of one table through and counts them. */
  count(table: Table, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>
  totalRows(): number
  totalBytes(): number
}

/** Counts rows and bytes during the work, and reports progress at the end of every table and in between. */
export async function withMeter<Result>(
  step: Step,
  tables: Table[],
  listener: ProgressListener = () => {},
  work: (meter: Meter) => Promise<Result>,
): Promise<Result> {
  const rows = new Map<string, number>()
  const finished = new Set<string>()
  let current = ''
  let bytes = 0
  const totalRows = () => sum(rows.values())

  const report = () => {
    if (!current) return
    const expected = tables.map(({ name, rowEstimate }) => {
      const counted = rows.get(name) ?? 0
      return finished.has(name) ? counted : Math.max(counted, rowEstimate)
    })
    const position = { table: current, tableIndex: rows.size, tables: tables.length }
    listener({ step, ...position, rows: totalRows(), bytes, totalRowsEstimate: sum(expected) })
  }

  async function* count({ name }: Table, chunks: AsyncIterable<Buffer>) {
    current = name
    rows.set(name, 0)
    for await (const chunk of chunks) {
      rows.set(name, (rows.get(name) ?? 0) + countLines(chunk))
      bytes += chunk.length
      yield chunk
    }
    finished.add(name)
    report()
  }

  // By timer instead of by row, because the server may work for long after the last row was sent.
  const timer = setInterval(report, 200)
  try {
    return await work({ count, rows, totalRows, totalBytes: () => bytes })
  } finally {
    clearInterval(timer)
  }
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

/** COPY escapes line breaks inside values, so each remaining one ends a row. */
function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
  return lines
}
