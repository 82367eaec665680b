import type { TextUnit } from './limits.ts'
import { addressesIn, type TextAddress } from './text-addresses.ts'

/** How long a text is for a network. */
export function textLength(text: string, unit: TextUnit): number {
  return counters[unit](text)
}

const counters: { [unit in TextUnit]: (text: string) => number } = {
  utf16: (text) => text.length,
  codepoint: (text) => [...text].length,
  utf8: (text) => new TextEncoder().encode(text).length,
  'x-weighted': xWeight,
}

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

const addressWeight = 23
/** X puts an address of its own in the place of every other, and counts an emoji once however it is put together. */
function xWeight(text: string): number {
  const normal = composed(text)
  let weight = 0
  let end = 0
  for (const address of addressesIn(normal)) {
    if (!isLinked(address)) continue
    const { from, to } = address
    weight += plainWeight(normal.slice(end, from)) + addressWeight
    end = to
  }
  return weight + plainWeight(normal.slice(end))
}

/** With a scheme any name; without one only what X makes a link of. */
const isLinked = ({ hasScheme, host, zone, path }: TextAddress) =>
  hasScheme || isLinkedName(host.toLowerCase(), zone.toLowerCase(), path)

/** A short name such as `we.is` is a slip of the keyboard more often than an address. */
function isLinkedName(host: string, zone: string, path: string): boolean {
  if (genericZones.has(zone) || linkedShortZones.has(zone)) return true
  return countryZones.has(zone) && (path.startsWith('/') || host.split('.').length > 2)
}

const words = (text: string) => new Set(text.trim().split(/\s+/))
const linkedShortZones = words('co tv')
const genericZones = words(`
  academy agency app art auction bank bar beer best bike biz blog boutique build business buzz cafe camp capital
  care career careers cash center chat church city cloud club codes coffee com community company consulting cool
  coop coupons deals delivery design dev digital direct directory dog earth edu education email energy engineering
  events exchange expert fashion film finance fit fitness flights forum foundation fun fund games garden gift gmbh
  gov green group guide health help host house info ink institute int international jobs kitchen land law legal
  life limited link live loans lol london love ltd market marketing media mil mobi money museum name net network
  news nyc one online org page paris partners photo photography photos place plus press pro productions properties
  pub recipes rent repair report restaurant review reviews rocks run sale school science services shoes shop show
  site social software solar solutions space store stream studio style support systems team tech technology tips
  today tools top tours town training travel university vacations ventures video vip vision web website wiki win
  wine work works world wtf xyz yoga zone`)
const countryZones = words(`
  ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd
  cf cg ch ci ck cl cm cn cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge
  gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh
  ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw
  mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb
  sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tw tz ua ug uk
  us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw`)

const emojiWeight = 2
/** Code points that weigh one; all others weigh two. */
const lightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const

/** What X counts for a text without addresses: an emoji once, however it is put together. Each sign is looked at once or twice. */
function plainWeight(text: string): number {
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
