import type pg from 'pg'
import utils from 'pg/lib/utils.js'
import { type RowReader, rowReader } from './row-reader.ts'

/** One statement and its values, as the wire protocol sends it. */
export interface Statement {
  text: string
  values: readonly unknown[]
}

export interface Result<Row> {
  rows: Row[]
  command: string
  affected: bigint
}

/**
 * Sends statements in one packet and gives the result of the last one. Each is prepared once per connection, and its columns are
 * described once: the driver's own queries describe them every time and take one packet per statement.
 */
export function run<Row>(client: pg.ClientBase, statements: readonly Statement[]): Promise<Result<Row>> {
  return new Promise((resolve, reject) => {
    client.query(new Packet<Row>(statements, resolve, reject) as unknown as pg.Submittable)
  })
}

/** The part of the driver's connection that speaks the protocol. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string }): void
  bind(message: {
    portal: string
    statement: string
    values: readonly unknown[]
    valueMapper: typeof utils.prepareValue
  }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
  prepared?: Map<string, Prepared>
}

interface Prepared {
  name: string
  /** How its rows are read; unknown until the server has described them. */
  reader?: RowReader
  /** Parsed by a packet that failed, so the server may or may not know it. */
  uncertain?: boolean
}

/** List filters make many texts; past this many a text is parsed by the server each time. */
const maximumPrepared = 500

/** What the driver calls while the answers come in. It is one object, made for every query: hence the class. */
class Packet<Row> {
  private readonly statements: readonly Statement[]
  private readonly resolve: (result: Result<Row>) => void
  private readonly reject: (error: unknown) => void
  private readonly sent: Prepared[] = []
  private readonly rows: Row[] = []
  private reader: RowReader | undefined
  private tag = ''
  private at = 0

  constructor(
    statements: readonly Statement[],
    resolve: (result: Result<Row>) => void,
    reject: (error: unknown) => void,
  ) {
    this.statements = statements
    this.resolve = resolve
    this.reject = reject
  }

  submit(wire: Wire) {
    wire.stream.cork()
    try {
      for (const statement of this.statements) this.send(wire, statement)
    } catch (error) {
      return error
    } finally {
      wire.sync()
      wire.stream.uncork()
    }
    this.reader = this.sent[0]?.reader
    return null
  }

  private send(wire: Wire, { text, values }: Statement) {
    wire.prepared ??= new Map()
    let prepared = wire.prepared.get(text)
    if (!prepared || prepared.uncertain) {
      if (prepared) wire.close({ type: 'S', name: prepared.name })
      const kept = prepared || wire.prepared.size < maximumPrepared
      prepared = { name: prepared?.name ?? (kept ? `s${wire.prepared.size}` : '') }
      if (kept) wire.prepared.set(text, prepared)
      wire.parse({ name: prepared.name, text })
    }
    this.sent.push(prepared)
    wire.bind({ portal: '', statement: prepared.name, values, valueMapper: utils.prepareValue })
    if (!prepared.reader) wire.describe({ type: 'P', name: '' })
    wire.execute({ portal: '' })
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
    const prepared = this.sent[this.at]
    if (prepared) this.reader = prepared.reader = rowReader(fields)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }) {
    if (this.at === this.statements.length - 1) this.rows.push(this.reader?.(fields) as Row)
  }

  handleCommandComplete({ text }: { text: string }) {
    this.tag = text
    this.at++
    this.reader = this.sent[this.at]?.reader
  }

  handleReadyForQuery() {
    const [command = '', ...counts] = this.tag.split(' ')
    this.resolve({ rows: this.rows, command, affected: BigInt(counts.at(-1) ?? 0) })
  }

  handleError(error: unknown) {
    for (const prepared of this.sent) prepared.uncertain = true
    this.reject(error)
  }

  handleEmptyQuery() {}
  handlePortalSuspended() {}
  handleCopyInResponse() {}
  handleCopyData() {}
}
