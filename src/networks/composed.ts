/**
 * The text with accents that are written apart made one with their letter. How long that takes grows with the square of a run of
 * accents, so runs that no language has are composed in parts.
 */
export function composed(text: string): string {
  if (!manyMarks.test(text)) return text.normalize('NFC')
  const parts = text.match(fewMarks) ?? []
  return parts.map((part) => part.normalize('NFC')).join('')
}

// As many as Unicode's own format for streams of text allows.
const manyMarks = /\p{M}{31}/u
const fewMarks = /\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu
