/** One line of a table, as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | number)[]) => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell)
  const harmless = isFormula(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** What a spreadsheet would compute instead of showing it. */
const isFormula = (text: string) => /^[=+\-@\t\r\n]/.test(text)
