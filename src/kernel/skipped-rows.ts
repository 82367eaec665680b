import { performance } from 'node:perf_hooks'
import type { Log } from './log.ts'

const minute = 60_000
/** A row that is met again and again is logged this often. */
const loggedEvery = 10 * minute
const remembered = 1_000

const logged = new Map<string, number>()
let met = 0

/** A row that cannot be used as it stands. */
export class SkippedRow extends Error {
  override name = 'UnreadableRow'
  readonly kind: string
  readonly id: string

  constructor(kind: string, id: string, message: string, cause: unknown) {
    super(message, { cause })
    this.kind = kind
    this.id = id
  }
}

/** How often this process has left a row out because it could not be read. */
export const skippedRows = () => met

/** Counts and logs a row that is left out, so that those beside it go on. */
export function skipRow(log: Pick<Log, 'error'>, row: { kind: string; id: string }, error: unknown) {
  met++
  const key = `${row.kind} ${row.id}`
  const now = performance.now()
  if (now < (logged.get(key) ?? 0)) return
  if (logged.size >= remembered) logged.clear()
  logged.set(key, now + loggedEvery)
  log.error({ kind: row.kind, id: row.id, err: error }, 'a row cannot be read and is left out')
}

/** The database refused the values themselves: the same would fail again. */
export const isAboutValues = (error: unknown) => /^(22|23)/.test(String((error as { code?: string }).code ?? ''))

/** What can be read of many rows, in their order. */
export function readEach<Row, Result>(
  rows: readonly Row[],
  read: (row: Row) => Result,
  failed: (row: Row, error: unknown) => void,
): Result[] {
  const results: Result[] = []
  for (const row of rows) {
    try {
      results.push(read(row))
    } catch (error) {
      failed(row, error)
    }
  }
  return results
}
