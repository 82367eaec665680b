import type { Journal } from './journal.ts'

/** Rows in memory under one key each; every change goes through the journal. */
export class Table<Row> {
  private readonly rows = new Map<string, Row>()

  readonly name: string
  private readonly keyOf: (row: Row) => string
  private readonly journal: Journal

  constructor(name: string, keyOf: (row: Row) => string, journal: Journal) {
    this.name = name
    this.keyOf = keyOf
    this.journal = journal
  }

  get(key: string): Row | undefined {
    return this.rows.get(key)
  }

  all(): Row[] {
    return [...this.rows.values()]
  }

  find(test: (row: Row) => boolean): Row | undefined {
    for (const row of this.rows.values()) if (test(row)) return row
    return undefined
  }

  put(row: Row): Row {
    this.restore(this.keyOf(row), row)
    this.journal.append({ table: this.name, key: this.keyOf(row), row })
    return row
  }

  change(row: Row, values: Partial<Row>): Row {
    return this.put(Object.assign(row as object, values) as Row)
  }

  delete(key: string) {
    if (!this.rows.delete(key)) return
    this.journal.append({ table: this.name, key })
  }

  /** What the journal calls when it is read again. */
  restore(key: string, row: Row | undefined) {
    if (row === undefined) this.rows.delete(key)
    else this.rows.set(key, row)
  }

  clear() {
    this.rows.clear()
  }
}
