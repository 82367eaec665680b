/** Code points that weigh one; all others weigh two. */
const light: [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
]
const addressWeight = 23
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The length X counts: addresses are all alike, an emoji is two however it is built. */
export function weightOf(text: string): number {
  let weight = 0
  const normal = text.normalize('NFC')
  const plain = normal.replaceAll(/https?:\/\/[^\s]+/g, () => {
    weight += addressWeight
    return ''
  })
  for (const { segment } of graphemes.segment(plain)) {
    const isEmoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}[\ufe0f\u200d]|\u20e3/u.test(segment)
    weight += isEmoji ? 2 : [...segment].reduce((sum, character) => sum + pointWeight(character), 0)
  }
  return weight
}

function pointWeight(character: string): number {
  const point = character.codePointAt(0) ?? 0
  return light.some(([from, to]) => point >= from && point <= to) ? 1 : 2
}
