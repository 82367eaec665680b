export type CsvCell = string | number | boolean | null

/** One line of a table, as RFC 4180 defines it. */
export const csvLine = (cells: readonly CsvCell[]) => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const harmless = isFormula(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * Text that a spreadsheet would evaluate as a formula; much exported text comes from third parties. Besides the ASCII characters it covers
 * the full-width and small forms of `+ - = @`, which spreadsheets in East Asian locales treat alike.
 */
const isFormula = (text: string) => /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20\uFE62\uFE63\uFE66\uFE6B]/.test(text)
