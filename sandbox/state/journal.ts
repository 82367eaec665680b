import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const newline = 10

interface Line {
  table: string
  key: string
  /** Absent when the row was deleted. */
  row?: unknown
}

/** Every change of every table, one JSON line each, in a file that is read again at the next start. */
export class Journal {
  private readonly file: number | undefined
  private readonly path: string | undefined

  constructor(folder: string | undefined) {
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    this.path = join(folder, 'journal.jsonl')
    this.file = openSync(this.path, 'a')
    // A process killed while writing leaves half a line; what follows must not be glued to it.
    const last = readFileSync(this.path).at(-1)
    if (last !== undefined && last !== newline) writeSync(this.file, '\n')
  }

  *lines(): Generator<Line> {
    if (this.path === undefined || !existsSync(this.path)) return
    for (const text of readFileSync(this.path, 'utf8').split('\n')) {
      const line = parsed(text)
      if (line) yield line
    }
  }

  append(line: Line) {
    if (this.file !== undefined) writeSync(this.file, `${JSON.stringify(line)}\n`)
  }

  empty() {
    if (this.file !== undefined) ftruncateSync(this.file)
  }

  close() {
    if (this.file !== undefined) closeSync(this.file)
  }
}

/** Half a line counts as not written. */
function parsed(text: string): Line | undefined {
  if (!text) return undefined
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}
