const emojiWeight = 2
/** Code points that weigh one; all others weigh two. */
const lightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const

/** What X counts for a text without addresses: an emoji once, however it is put together. Each sign is looked at once or twice. */
export function plainWeight(text: string): number {
  let weight = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number
    const emoji = mayBeEmoji(code) || isKeycap(text, at) ? emojiLength(text, at, code) : 0
    weight += emoji > 0 ? emojiWeight : pointWeight(code)
    at += emoji || lengthOf(code)
  }
  return weight
}

const pointWeight = (code: number) => (lightRanges.some(([from, to]) => code >= from && code <= to) ? 1 : 2)

/** Nearly every sign of a text is told apart from emojis by its number alone. */
const mayBeEmoji = (code: number) =>
  code === 0xa9 || code === 0xae || (code >= 0x203c && code <= 0x3299) || code >= 0x1f000

const presentation = '\ufe0f'
const joiner = '\u200d'
const keycap = '\ufe0f\u20e3'
/** Flags of parts of a country, spelled in signs that nobody sees. */
const taggedFlags = ['gbeng', 'gbsct', 'gbwls'].map((place) => `🏴${tagged(place)}\u{e007f}`)

/** How long the emoji is that stands here; zero when none does. */
function emojiLength(text: string, at: number, code: number): number {
  const pictures = joinedLength(text, at)
  if (pictures > 0) return pictures
  if (isKeycap(text, at)) return 1 + keycap.length
  const flag = taggedFlags.find((tagged) => text.startsWith(tagged, at))
  if (flag) return flag.length
  const sign = String.fromCodePoint(code)
  const next = text.codePointAt(at + sign.length) ?? 0
  const follower = String.fromCodePoint(next)
  if (isRegional(code)) return isFlag(sign + follower) ? sign.length + follower.length : 0
  if (isModifier(next) && takesModifier.test(sign)) return sign.length + follower.length
  const showsItself = ownPresentation.test(sign)
  if (!showsItself && follower === presentation && mayBeEmoji(code) && anyEmoji.test(sign)) return sign.length + 1
  return showsItself ? sign.length : 0
}

/** Pictures that are joined into one, also such as Unicode does not list. */
function joinedLength(text: string, at: number): number {
  let end = pictureEnd(text, at)
  let joined = false
  while (end > 0 && text[end] === joiner) {
    const next = pictureEnd(text, end + 1)
    if (next === 0) break
    end = next
    joined = true
  }
  return joined ? end - at : 0
}

/** Where the picture ends that begins here, with what changes its looks; zero when there is none. */
function pictureEnd(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  if (!mayBeEmoji(code) || !picture.test(String.fromCodePoint(code))) return 0
  const end = at + lengthOf(code)
  const next = text.codePointAt(end) ?? 0
  return next === 0xfe0f || isModifier(next) ? end + lengthOf(next) : end
}

const picture = /\p{Extended_Pictographic}/u
const anyEmoji = /\p{Emoji}/u
const ownPresentation = /\p{Emoji_Presentation}/u
const takesModifier = /\p{Emoji_Modifier_Base}/u

const lengthOf = (code: number) => (code > 0xffff ? 2 : 1)
const isModifier = (code: number) => code >= 0x1f3fb && code <= 0x1f3ff
const isRegional = (code: number) => code >= 0x1f1e6 && code <= 0x1f1ff
const isKeycap = (text: string, at: number) =>
  text.startsWith(keycap, at + 1) && '0123456789#*'.includes(text[at] ?? ' ')

// The compiler's target does not know this flag yet; Node does.
const setNotation: string = 'v'
const flagOfCountry = new RegExp('^\\p{RGI_Emoji_Flag_Sequence}$', setNotation)
const flags = new Map<string, boolean>()

/** Not every two letters have a flag; asking costs much, and there are no more than 676. */
function isFlag(pair: string): boolean {
  const known = flags.get(pair)
  if (known !== undefined) return known
  const is = pair.length === 4 && flagOfCountry.test(pair)
  if (pair.length === 4) flags.set(pair, is)
  return is
}

function tagged(letters: string): string {
  return String.fromCodePoint(...[...letters].map((letter) => 0xe0000 + letter.charCodeAt(0)))
}
