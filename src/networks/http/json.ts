/** JSON of a network, or progress stored with a post. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Parses JSON; integers beyond 2^53 become strings, because networks send ids as bare numbers. Undefined for invalid JSON
 * and for nesting deeper than any network uses.
 */
export function readJson(text: string): Json | undefined {
  try {
    const exact = exactly(text)
    return exact === undefined ? undefined : JSON.parse(exact)
  } catch {
    return undefined
  }
}

const deepest = 500

/** One pass over the characters: linear in the length of untrusted input. */
function exactly(text: string): string | undefined {
  const pieces: string[] = []
  let kept = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) {
      for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) {
        if (text.charCodeAt(at) !== backslash) continue
        // PostgreSQL can't store a null character, and no network means one.
        if (text.startsWith('u0000', at + 1)) {
          pieces.push(text.slice(kept, at))
          kept = at + 6
          at += 5
        } else at++
      }
    } else if (sign === openList || sign === openObject) {
      if (++depth > deepest) return undefined
    } else if (sign === closeList || sign === closeObject) depth--
    else if (isNumeric(sign)) {
      let end = at + 1
      while (end < text.length && isNumeric(text.charCodeAt(end))) end++
      if (end - at >= 16 && longNumber.test(text.slice(at, end))) {
        pieces.push(text.slice(kept, at), '"', text.slice(at, end), '"')
        kept = end
      }
      at = end - 1
    }
  }
  if (kept === 0) return text
  pieces.push(text.slice(kept))
  return pieces.join('')
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

const isNumeric = (sign: number) =>
  (sign >= 0x30 && sign <= 0x39) || sign === 0x2d || sign === 0x2b || sign === 0x2e || sign === 0x65 || sign === 0x45

const longNumber = /^-?\d{16,}$/
