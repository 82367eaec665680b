import type { ProgressListener } from '#kernel/database/transfer/content.ts'
import type { Settings } from '../settings/settings.ts'

/** A page that holds whatever a command lists: more than an account may have of anything it lists. */
export const allRows = 1_000_000

export type Say = (line: string) => void

/** One command of the command line; options are given as --name value, flags as --name alone. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** What stands behind the name without a dash, by the name under which it is given on. */
  readonly word?: { readonly name: string; readonly help: string; readonly isOptional?: true }
  readonly options?: {
    readonly [name: string]: { readonly help: string; readonly required?: true; readonly flag?: true }
  }
  readonly run: (settings: Settings, options: { [name: string]: string }, say: Say) => Promise<void>
}

const width = 24

/** Shows how far a long command is: a bar that moves on a terminal, a line per table elsewhere. */
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

/** Shows what a long command is at: in place on a terminal, now and then elsewhere. */
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
