import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import pg from 'pg'
import utils from 'pg/lib/utils.js'
import { serialize } from 'pg-protocol'
import { inLaterIteration } from '../../event-loop/event-loop-time.ts'

const toCamel = new Map<string, string>()
const toSnake = new Map<string, string>()

/** `created_by` in SQL is `createdBy` in code. */
export function camelName(name: string): string {
  return remembered(toCamel, name, () => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
}

/** `createdBy` in code is `created_by` in SQL. */
export function snakeName(name: string): string {
  return remembered(toSnake, name, () => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function remembered(names: Map<string, string>, name: string, make: () => string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const made = make()
  names.set(name, made)
  return made
}

type Parser = (text: string) => unknown

const int8 = 20
const timestamptz = 1184
const date = 1082
const int8Array = 1016

/** Converts PostgreSQL's text format to JavaScript values: counts are numbers, timestamps are Dates, dates stay text. */
const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    return ownParsers.get(oid) ?? (pg.types.getTypeParser(oid, format as 'text') as Parser)
  },
}

const ownParsers = new Map<number, Parser>([
  [int8, Number],
  [timestamptz, parseMoment],
  [date, (text) => text],
  [int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))],
])

/** `2026-08-31 09:30:00.123456+00`, as a session in UTC prints it; the driver's general parser costs ten times as much. */
function parseMoment(text: string): Date {
  if (text.length < 22 || text.charCodeAt(4) !== 45 || !text.endsWith('+00')) {
    return pg.types.getTypeParser(timestamptz)(text) as Date
  }
  const milliseconds = text.length > 22 ? Math.floor(Number(`0${text.slice(19, -3)}`) * 1000 + 1e-6) : 0
  return new Date(
    Date.UTC(
      digits(text, 0, 4),
      digits(text, 5, 7) - 1,
      digits(text, 8, 10),
      digits(text, 11, 13),
      digits(text, 14, 16),
      digits(text, 17, 19),
      milliseconds,
    ),
  )
}

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let index = from; index < to; index++) value = value * 10 + text.charCodeAt(index) - 48
  return value
}

export type RowReader = (fields: readonly (string | null)[]) => object

/** Compiles the function that turns the text values of one row into an object with camelCase names. */
function rowReader(fields: readonly { name: string; dataTypeID: number }[]): RowReader {
  const parsers = fields.map(({ dataTypeID }) => valueTypes.getTypeParser(dataTypeID))
  const properties = fields.map(({ name, dataTypeID }, index) => {
    const value = textTypes.has(dataTypeID) ? `f[${index}]` : `f[${index}] === null ? null : p[${index}](f[${index}])`
    return `${JSON.stringify(camelName(name))}: ${value}`
  })
  return new Function('p', `return (f) => ({ ${properties.join(', ')} })`)(parsers) as RowReader
}

/** text, varchar, bpchar, name: nothing to parse. */
const textTypes = new Set([25, 1043, 1042, 19])

/** One statement and its values, as the wire protocol sends it. */
export interface Statement {
  text: string
  values: readonly unknown[]
  /** Its text is rarely repeated, so it is not prepared. */
  once?: true
}

export interface Result<Row> {
  rows: Row[]
  command: string
  affected: number
}

/**
 * Sends statements in one packet and returns the result of the last one, or of the selected one. Each is prepared and described once per
 * connection: the driver's own queries are described every time and take one packet per statement.
 */
export function run<Row>(
  client: pg.ClientBase,
  statements: readonly Statement[],
  deadline?: Deadline,
  wanted = statements.length - 1,
): Promise<Result<Row>> {
  return new Promise((resolve, reject) => {
    const timer = deadline && setTimeout(giveUp, deadline.milliseconds)
    function giveUp() {
      reject(deadline?.passed())
      cut(client)
    }
    const packet = new Packet<Row>(
      statements,
      wanted,
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
    client.query(packet as unknown as pg.Submittable)
  })
}

/**
 * The server reports that the statements failed and keeps running: all of their effects are rolled back. If the server itself failed, or a
 * node of a cluster, it can't guarantee that: a statement that reached the commit may have taken effect.
 */
export const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !/^(08|57P|58|XX)/.test(error.code ?? '08')

/** When a silent server counts as unreachable: its own timeouts don't fire while it is frozen. */
export interface Deadline {
  readonly milliseconds: number
  /** Returns the error for the caller. */
  passed(): Error
}

/** Closes a connection on this side, whether or not the server notices; pending queries fail. */
export function cut(client: pg.ClientBase) {
  streamOf(client).destroy()
}

/** A property of the driver that its types omit. */
export const streamOf = (client: pg.ClientBase) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

/** The subset of the driver's connection that is used here. */
interface Wire {
  stream: { write(bytes: Buffer): void }
  prepared?: Map<string, Prepared>
}

interface Prepared {
  name: string
  /** Parses its rows; undefined until the server has described them. */
  reader?: RowReader
  /** Parsed in a packet that failed, so the server may or may not have it. */
  uncertain?: boolean
}

/** List filters produce many texts; beyond this number, a text is parsed by the server each time. */
const maximumPrepared = 500

const describe = serialize.describe({ type: 'P' })
const execute = serialize.execute()
const sync = serialize.sync()

/** Callbacks of the driver while a response arrives. A class, because one is created for every query. */
class Packet<Row> {
  private readonly statements: readonly Statement[]
  private readonly wanted: number
  private readonly resolve: (result: Result<Row>) => void
  private readonly reject: (error: unknown) => void
  private readonly sent: Prepared[] = []
  private readonly rows: Row[] = []
  private reader: RowReader | undefined
  private tag = ''
  private at = 0

  constructor(
    statements: readonly Statement[],
    wanted: number,
    resolve: (result: Result<Row>) => void,
    reject: (error: unknown) => void,
  ) {
    this.statements = statements
    this.wanted = wanted
    this.resolve = resolve
    this.reject = reject
  }

  submit(wire: Wire) {
    wire.prepared ??= new Map()
    const messages: Buffer[] = []
    try {
      for (const statement of this.statements) this.add(messages, wire.prepared, statement)
    } catch (error) {
      // A value that can't be serialized: nothing was sent, and the driver continues with the next query.
      return error
    }
    messages.push(sync)
    this.reader = this.sent[0]?.reader
    // One write: several small ones cost more than joining them.
    wire.stream.write(Buffer.concat(messages))
    return null
  }

  private add(messages: Buffer[], known: Map<string, Prepared>, { text, values, once }: Statement) {
    let prepared = known.get(text)
    if (!prepared || prepared.uncertain) {
      if (prepared) messages.push(serialize.close({ type: 'S', name: prepared.name }))
      const isNamed = !once && (prepared || known.size < maximumPrepared)
      prepared = { name: prepared?.name ?? (isNamed ? `s${known.size}` : '') }
      if (isNamed) known.set(text, prepared)
      messages.push(serialize.parse({ name: prepared.name, text }))
    }
    this.sent.push(prepared)
    messages.push(
      serialize.bind({ statement: prepared.name, values: values as unknown[], valueMapper: utils.prepareValue }),
    )
    if (!prepared.reader) messages.push(describe)
    messages.push(execute)
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
    const prepared = this.sent[this.at]
    if (prepared) this.reader = prepared.reader = rowReader(fields)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }) {
    if (this.at === this.wanted) this.rows.push(this.reader?.(fields) as Row)
  }

  handleCommandComplete({ text }: { text: string }) {
    if (this.at === this.wanted) this.tag = text
    this.at++
    this.reader = this.sent[this.at]?.reader
  }

  handleReadyForQuery() {
    // `SELECT 25`, `INSERT 0 1`, `COMMIT`.
    const { tag, rows } = this
    const end = tag.indexOf(' ')
    if (end < 0) this.resolve({ rows, command: tag, affected: 0 })
    else this.resolve({ rows, command: tag.slice(0, end), affected: Number(tag.slice(tag.lastIndexOf(' ') + 1)) })
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

/** Receives the text and parameters of every statement, synchronously when it is sent. */
type StatementObserver = (text: string, parameters: readonly unknown[]) => void

let observer: StatementObserver | undefined

/** For tests: observes every statement this process sends as the service. */
export const watchStatements = (next: StatementObserver | undefined) => {
  observer = next
}

/** Notifies the observer, if any. */
export const followStatement = (text: string, parameters: readonly unknown[]) => observer?.(text, parameters)

/** Time slice after which other work runs first. */
const pieceMs = 2

/**
 * Yields to other work while rows are parsed: a large result arrives all together and would otherwise be parsed in one go. Reports the duration
 * of every slice. `owner` is the account whose rows are being parsed.
 */
export function readInPieces(stream: Readable, owner: () => string, took: (milliseconds: number) => void) {
  let begun = 0
  let inARow = 0
  stream.prependListener('data', () => {
    begun = performance.now()
  })
  stream.on('data', () => {
    const spent = performance.now() - begun
    took(spent)
    inARow += spent
    if (inARow < pieceMs) return
    inARow = 0
    stream.pause()
    inLaterIteration(owner(), () => stream.resume())
  })
}
