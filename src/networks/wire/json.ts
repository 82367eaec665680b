/** What a network says, and what is small enough to be kept beside a post. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Reads JSON; whole numbers that a double cannot hold become texts, because networks send ids beyond 2^53 as bare numbers. Nothing where it
 * is none, or where lists and objects stand in each other deeper than any network puts them.
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

/** In one pass over the signs: whatever somebody sends, it takes no longer than its length. */
function exactly(text: string): string | undefined {
  const pieces: string[] = []
  let kept = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) {
      for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) {
        if (text.charCodeAt(at) !== backslash) continue
        // The database cannot keep a zero character, and no network means one.
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

/** Digits, and what else numbers are written with. */
const isNumeric = (sign: number) =>
  (sign >= 0x30 && sign <= 0x39) || sign === 0x2d || sign === 0x2b || sign === 0x2e || sign === 0x65 || sign === 0x45

const longNumber = /^-?\d{16,}$/
