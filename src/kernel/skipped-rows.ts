import { performance } from 'node:perf_hooks'
import type { Log } from './log.ts'

const minute = 60_000
/** How often a row that keeps failing is logged. */
const loggedEvery = 10 * minute
const remembered = 1_000

const logged = new Map<string, number>()
let met = 0

/** A row that can't be processed. */
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

/** Number of rows this process has skipped because they could not be read. */
export const skippedRows = () => met

/** Counts and logs a skipped row so that the other rows are processed. */
export function skipRow(log: Pick<Log, 'error'>, row: { kind: string; id: string }, error: unknown) {
  met++
  const key = `${row.kind} ${row.id}`
  const now = performance.now()
  if (now < (logged.get(key) ?? 0)) return
  if (logged.size >= remembered) logged.clear()
  logged.set(key, now + loggedEvery)
  log.error({ kind: row.kind, id: row.id, err: error }, 'a row cannot be read and is left out')
}

/** The database rejected the values themselves: a retry would fail again. */
export const isAboutValues = (error: unknown) => /^(22|23)/.test(String((error as { code?: string }).code ?? ''))

/** Maps all readable rows, in order. */
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
