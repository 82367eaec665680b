import type { ProgressListener } from '#kernel/database/transfer/content.ts'
import type { Settings } from '../settings/settings.ts'

/** Page size for listing everything: above any quota. */
export const allRows = 1_000_000

export type Say = (line: string) => void

/** One command; options are given as --name value, flags as --name. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The positional argument, by the name under which it is passed on. */
  readonly word?: { readonly name: string; readonly help: string; readonly isOptional?: true }
  readonly options?: {
    readonly [name: string]: { readonly help: string; readonly required?: true; readonly flag?: true }
  }
  readonly run: (settings: Settings, options: { [name: string]: string }, say: Say) => Promise<void>
}

const width = 24

/** Progress of a long command: a bar on a terminal, a line per table elsewhere. */
export function progressLine(): { show: ProgressListener; end: () => void } {
  const { stderr } = process
  let last = ''
  return {
    show({ step, table, tableIndex, tables, rows, totalRowsEstimate }) {
      const share = totalRowsEstimate > 0 ? Math.min(1, rows / totalRowsEstimate) : 1
      const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.')
      const line = `${step} [${bar}] ${Math.round(share * 100)} %  ${rows} rows, table ${tableIndex} of ${tables}: ${table}`
      if (stderr.isTTY) stderr.write(`\r${line.slice(0, (stderr.columns || 80) - 1).padEnd(last.length)}`)
      else if (`${step} ${table}` !== last) stderr.write(`${line}\n`)
      last = stderr.isTTY ? line : `${step} ${table}`
    },
    end() {
      if (stderr.isTTY && last) stderr.write('\n')
    },
  }
}

const sayEvery = 5_000

/** Progress of a long command: updated in place on a terminal, printed occasionally elsewhere. */
export function countingLine(): { show: (line: string) => void; end: () => void } {
  const { stderr } = process
  let shown = performance.now()
  let last = ''
  return {
    show(line) {
      if (!stderr.isTTY) {
        if (performance.now() - shown < sayEvery) return
        stderr.write(`${line}\n`)
      } else stderr.write(`\r${line.slice(0, (stderr.columns || 80) - 1).padEnd(last.length)}`)
      shown = performance.now()
      last = line
    },
    end() {
      if (stderr.isTTY && last) stderr.write('\n')
    },
  }
}
