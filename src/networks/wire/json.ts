/** What a network says, and what is small enough to be kept beside a post. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Reads JSON; whole numbers that a double cannot hold become texts, because networks send ids beyond 2^53 as bare numbers. */
export function readJson(text: string): Json | undefined {
  try {
    const exact = text.replace(stringOrNumber, (match) => (longNumber.test(match) ? `"${match}"` : match))
    return JSON.parse(exact, text.includes('\\u0000') ? withoutZeros : undefined)
  } catch {
    return undefined
  }
}

/** The database cannot keep a zero character, and no network means one. */
const withoutZeros = (_: string, value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '') : value)

/** Texts are matched whole so that digits inside them stay as they are. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"?|[\d.eE+-]+/g
const longNumber = /^-?\d{16,}$/
