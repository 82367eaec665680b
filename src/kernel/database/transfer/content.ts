import type { Header, Table } from './header.ts'
import type { Meter } from './meter.ts'

/** The rows of one table as COPY text; to be read to its end before the next section is asked for. */
export interface Section {
  table: Table
  chunks: AsyncIterable<Buffer>
}

/** A whole database, wherever it lies; the sections fail when they turn out not to be what the source promised. */
export interface Content {
  header: Header
  sections(meter: Meter): AsyncIterable<Section>
}

export interface Summary {
  /** Of the database as it was backed up or moved, not of the program that restores it. */
  version: string
  date: string
  /** Rows by table, in the order they were copied. */
  tables: Record<string, number>
  rows: number
  /** Of the rows as text, before compression. */
  bytes: number
}

export function summarize({ header }: Content, meter: Meter): Summary {
  const { version, date } = header
  return { version, date, tables: Object.fromEntries(meter.rows), rows: meter.totalRows(), bytes: meter.totalBytes() }
}
