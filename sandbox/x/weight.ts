/** Code points that weigh one; all others weigh two. */
const light: [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
]
const addressWeight = 23
/** What may be put together to one sign. A segmenter would find the same in quadratic time. */
const cluster =
  /\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*/gu
const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}[\ufe0f\u200d]|\u20e3/u

/** The length X counts: addresses are all alike, an emoji is two however it is built. */
export function weightOf(text: string): number {
  let weight = 0
  const plain = composed(text).replaceAll(/https?:\/\/[^\s]+/g, () => {
    weight += addressWeight
    return ''
  })
  const rest = plain.replaceAll(cluster, (sign) => {
    if (!emoji.test(sign)) return sign
    weight += 2
    return ''
  })
  for (const character of rest) weight += pointWeight(character)
  return weight
}

/** In parts, because runs of accents take time with the square of their length. */
const composed = (text: string) =>
  (text.match(/\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu) ?? []).map((part) => part.normalize('NFC')).join('')

function pointWeight(character: string): number {
  const point = character.codePointAt(0) ?? 0
  return light.some(([from, to]) => point >= from && point <= to) ? 1 : 2
}
