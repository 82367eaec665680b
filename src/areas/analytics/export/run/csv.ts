import type { Cell } from '../rows/row-shape.ts'

/** One line of a table, as RFC 4180 has it. */
export const csvLine = (cells: readonly Cell[]) => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const harmless = isFormula(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** What a spreadsheet would compute instead of showing it; strangers write much of what is exported. */
const isFormula = (text: string) => /^[=+\-@\t\r\n]/.test(text)
