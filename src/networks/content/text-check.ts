import type { Content, ContentRules, ForbiddenCharacters, Limits, Problem, TextRule, TextUnit } from './content.ts'
import { type TextUrl, urlsIn } from './text-urls.ts'

/** Problems of a post's text, including its title. */
export function postTextProblems(rules: ContentRules, limits: Limits, content: Content): Problem[] {
  const { name, forbiddenInPost, needsTitle } = rules
  const text = rules.postText?.(content) ?? content.text
  const title = rules.title?.(content) ?? ''
  const inText = [
    ...lengthProblems(name, 'text', text, { ...limits.text, max: rules.postMax?.(content) ?? limits.text.max }),
    ...countProblems(name, 'hashtags', text, hashtag, limits.hashtags),
    ...countProblems(name, 'mentions', text, mention, limits.mentions),
    ...characterProblems(name, 'text', text, forbiddenInPost),
  ]
  const inTitle = [
    ...(needsTitle && !title ? [`A post on ${name} needs a title, or a text whose first line can be one.`] : []),
    ...lengthProblems(name, 'title', title, limits.title),
    ...characterProblems(name, 'title', title, forbiddenInPost),
  ]
  return [...about('text', inText), ...about('title', inTitle)]
}

/** Problems of the text of a comment or message. */
export function messageTextProblems(
  name: string,
  what: 'comment' | 'message',
  text: string,
  rule: TextRule | undefined,
  refused?: ForbiddenCharacters,
): Problem[] {
  return about('text', [...lengthProblems(name, what, text, rule), ...characterProblems(name, what, text, refused)])
}

export const about = (field: string, sentences: readonly string[]): Problem[] =>
  sentences.map((sentence) => ({ field, sentence }))

function lengthProblems(name: string, what: string, text: string, rule: TextRule | undefined): string[] {
  if (!rule) return []
  const length = textLength(text, rule.unit)
  const unit = rule.unit === 'utf8' ? 'bytes' : 'characters'
  return length > rule.max ? [`The ${what} counts ${length} ${unit} on ${name}; ${rule.max} is the most.`] : []
}

const characterProblems = (
  name: string,
  where: string,
  text: string,
  refused: ForbiddenCharacters | undefined,
): string[] => (refused?.pattern.test(text) ? [`${name} takes no ${refused.what} in the ${where}.`] : [])

function countProblems(name: string, what: string, text: string, pattern: RegExp, max: number | undefined): string[] {
  if (max === undefined) return []
  const count = text.match(pattern)?.length ?? 0
  return count > max ? [`The text has ${count} ${what}; ${name} takes ${max} at most.`] : []
}

const hashtag = /#[\p{L}\p{N}_]+/gu
const mention = /@[\w.]+/g

/** Length of a text as counted by a network. */
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
 * Combines separate accents with their letters. Normalization is quadratic in the length of a run of accents, so runs longer
 * than in any language are normalized in parts.
 */
export function composed(text: string): string {
  if (!manyMarks.test(text)) return text.normalize('NFC')
  const parts = text.match(markRuns) ?? []
  return parts.map((part) => part.normalize('NFC')).join('')
}

// The maximum of Unicode's Stream-Safe Text Format.
const manyMarks = /\p{M}{31}/u
const markRuns = /\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu

const urlWeight = 23
/** X replaces every URL with one of its own, and counts an emoji once, however it is composed. */
function xWeight(text: string): number {
  const normal = composed(text)
  let weight = 0
  let end = 0
  for (const address of urlsIn(normal)) {
    if (!isLinked(address)) continue
    const { from, to } = address
    weight += plainWeight(normal.slice(end, from)) + urlWeight
    end = to
  }
  return weight + plainWeight(normal.slice(end))
}

/** With a scheme any name; without one only names X links. */
const isLinked = ({ hasScheme, host, topLevelDomain, path }: TextUrl) =>
  hasScheme || isLinkedName(host.toLowerCase(), topLevelDomain.toLowerCase(), path)

/** A short name such as `we.is` is more often a typing error than a URL. */
function isLinkedName(host: string, zone: string, path: string): boolean {
  if (genericZones.has(zone) || linkedShortZones.has(zone)) return true
  return countryZones.has(zone) && (path.startsWith('/') || host.split('.').length > 2)
}

const wordSet = (text: string) => new Set(text.trim().split(/\s+/))
const linkedShortZones = wordSet('co tv')
const genericZones = wordSet(`
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
const countryZones = wordSet(`
  ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd
  cf cg ch ci ck cl cm cn cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge
  gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh
  ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw
  mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb
  sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tw tz ua ug uk
  us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw`)

const emojiWeight = 2
/** Code points with weight one; all others count two. */
const lightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const

/** Weight of a text without URLs. Each character is visited once or twice. */
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

/** Excludes nearly every other character by its code alone. */
const mayBeEmoji = (code: number) =>
  code === 0xa9 || code === 0xae || (code >= 0x203c && code <= 0x3299) || code >= 0x1f000

const presentation = '\ufe0f'
const joiner = '\u200d'
const keycap = '\ufe0f\u20e3'
/** Flags of subdivisions, written with invisible tag characters. */
const taggedFlags = ['gbeng', 'gbsct', 'gbwls'].map((region) => `🏴${tagged(region)}\u{e007f}`)

/** Length of the emoji at this position; zero if there is none. */
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
  const isDisplayedAsText = ownPresentation.test(sign)
  if (!isDisplayedAsText && follower === presentation && mayBeEmoji(code) && anyEmoji.test(sign)) return sign.length + 1
  return isDisplayedAsText ? sign.length : 0
}

/** Joined emoji, including sequences that Unicode doesn't list. */
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

/** End of the pictograph at this position, including modifiers; zero if there is none. */
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

// The compiler's target doesn't know this flag yet; Node does.
const setNotation: string = 'v'
const flagOfCountry = new RegExp('^\\p{RGI_Emoji_Flag_Sequence}$', setNotation)
const flags = new Map<string, boolean>()

/** Not every pair of letters is a flag. The test is expensive, and there are only 676 pairs to cache. */
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
