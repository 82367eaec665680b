import type { Json } from '../json.ts'

/** Reads JSON; whole numbers that a double cannot hold become texts, because networks send ids beyond 2^53 as bare numbers. */
export function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(stringOrLongNumber, (match) => (match.startsWith('"') ? match : `"${match}"`)))
  } catch {
    return undefined
  }
}

/** Texts are matched whole so that digits inside them stay as they are. */
const stringOrLongNumber = /"(?:[^"\\]|\\.)*"?|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g
