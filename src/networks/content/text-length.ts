import type { TextUnit } from './limits.ts'
import { addressesIn, type TextAddress } from './text-addresses.ts'
import { plainWeight } from './text-weight.ts'

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
